#include "backends/library/not_built.h"

#include <gtest/gtest.h>

#include "core/execute.h"
#include "core/judge.h"
#include "core/registry.h"

namespace aesgate::library {
namespace {

TEST(not_built, is_unavailable_with_its_reason) {
  constexpr aesgate_backend backend = not_built("libnone", "Libnone", "not built: nobody has Libnone");
  EXPECT_EQ(why_unavailable(backend), "not built: nobody has Libnone");
  const Case c = make_case({Mode::ecb, Direction::encrypt, KeySize::bits128}, Key(), {}, Bytes(16), 16);
  const Judgement judgement = judge(c, execute(backend, c), {c.input});
  EXPECT_EQ(judgement.verdict, Verdict::unavailable);
  EXPECT_EQ(judgement.reason, "not built: nobody has Libnone");
}

}  // namespace
}  // namespace aesgate::library
