#include "core/allowance.h"

#include <ctime>

namespace aesgate {

Allowance::Duration Allowance::thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace aesgate
