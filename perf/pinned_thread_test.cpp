#include "perf/pinned_thread.h"

#include <gtest/gtest.h>

namespace aesgate {
namespace {

int allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return CPU_COUNT(&set);
}

TEST(PinnedThread, IsOnOneCpuAndAfterwardsWhereItCouldBeBefore) {
  const int before = allowed_cpus();
  {
    const PinnedThread pin;
    ASSERT_GE(pin.cpu(), 0);
    EXPECT_EQ(allowed_cpus(), 1);
    EXPECT_EQ(sched_getcpu(), pin.cpu());
  }
  EXPECT_EQ(allowed_cpus(), before);
}

}  // namespace
}  // namespace aesgate
