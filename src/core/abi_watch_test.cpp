#include "core/abi_watch.h"

#include <csetjmp>
#include <cstring>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace aesgate {
namespace {

std::uint64_t add(const std::uint8_t* a, std::uint32_t b, int c, std::size_t d, std::uint8_t e) {
  return *a + b + static_cast<std::uint64_t>(c) + d + e;
}

TEST(abi_watch, a_call_gets_its_arguments_and_gives_its_result) {
  AbiWatch watch;
  const std::uint8_t first = 1;
  EXPECT_EQ(watch(add, &first, 2u, 3, std::size_t{4}, std::uint8_t{5}), 15u);
  static int negative = -7;
  EXPECT_EQ(watch(+[]() -> int { return negative; }), -7);
  int written = 0;
  watch(
      +[](int* target) { *target = 9; }, &written);
  EXPECT_EQ(written, 9);
  EXPECT_FALSE(watch.has_breaches());
}

[[noreturn]] void throw_it(int* before) {
  volatile std::uint64_t uses_registers[4] = {1, 2, 3, 4};
  *before = static_cast<int>(uses_registers[2]);
  throw std::runtime_error("out of the call");
}

TEST(abi_watch, an_exception_or_a_jump_may_leave_a_call) {
  AbiWatch watch;
  int before = 0;
  std::string caught;
  try {
    watch(throw_it, &before);
  } catch (const std::runtime_error& error) {
    caught = error.what();
  }
  EXPECT_EQ(before, 3);
  EXPECT_EQ(caught, "out of the call");
  static std::jmp_buf back;
  volatile int returned = 0;
  if (setjmp(back) == 0)
    watch(+[] { std::longjmp(back, 1); });
  else
    returned = 1;
  EXPECT_EQ(returned, 1);
  EXPECT_FALSE(watch.has_breaches());
}

#if defined(__x86_64__)

/// What a call breaks, "what: detail; what: detail"; and a second, harmless call must find all in order again.
template <typename Function>
std::string broken_by(Function* function) {
  AbiWatch watch;
  watch(function);
  std::string text;
  for (const AbiBreach& breach : watch.take_breaches())
    text += (text.empty() ? "" : "; ") + breach.what + ": " + breach.detail;
  watch(+[] {});
  EXPECT_FALSE(watch.has_breaches());
  return text;
}

// In assembly, since a compiler keeps the rules.
asm(R"(
  .pushsection .text
aesgate_test_loses_rbx: movq $0x1234, %rbx; ret
aesgate_test_loses_r15: addq $1, %r15; ret
aesgate_test_loses_rbp: xorl %ebp, %ebp; ret
aesgate_test_pops_one_more: ret $8
aesgate_test_sets_direction: std; ret
aesgate_test_checks_alignment: pushfq; orl $0x40000, (%rsp); popfq; ret
aesgate_test_writes_home_space: movq $0, 16(%rsp); ret
aesgate_test_sets_mxcsr: pushq $0x9fc0; ldmxcsr (%rsp); popq %rax; ret
aesgate_test_raises_inexact: pushq $0x1fa0; ldmxcsr (%rsp); popq %rax; ret
aesgate_test_sets_x87_control: pushq $0x27f; fldcw (%rsp); popq %rax; ret
aesgate_test_leaves_mmx: pxor %mm1, %mm1; ret
aesgate_test_leaves_ymm: vpcmpeqd %ymm3, %ymm3, %ymm3; ret
aesgate_test_keeps_ymm_clean: vpcmpeqd %ymm3, %ymm3, %ymm3; vzeroupper; ret
aesgate_test_writes_below: movabsq $0x1122334455667788, %rax; movq %rax, -200(%rsp); ret
  .popsection
)");
extern "C" {
void aesgate_test_loses_rbx();
void aesgate_test_loses_r15();
void aesgate_test_loses_rbp();
void aesgate_test_pops_one_more();
void aesgate_test_sets_direction();
void aesgate_test_checks_alignment();
void aesgate_test_writes_home_space();
void aesgate_test_sets_mxcsr();
void aesgate_test_raises_inexact();
void aesgate_test_sets_x87_control();
void aesgate_test_leaves_mmx();
void aesgate_test_leaves_ymm();
void aesgate_test_keeps_ymm_clean();
void aesgate_test_writes_below();
}

TEST(abi_watch, what_a_call_breaks_is_named_and_put_right) {
  EXPECT_EQ(broken_by(aesgate_test_loses_rbx),
            "callee-saved register rbx: expected b1b1b1b1b1b1b101, got 0000000000001234");
  EXPECT_EQ(broken_by(aesgate_test_loses_r15),
            "callee-saved register r15: expected b6b6b6b6b6b6b606, got b6b6b6b6b6b6b607");
  EXPECT_EQ(broken_by(aesgate_test_loses_rbp),
            "callee-saved register rbp: expected b2b2b2b2b2b2b202, got 0000000000000000");
  EXPECT_EQ(broken_by(aesgate_test_pops_one_more), "stack pointer: expected what it was, got 8 bytes more");
  EXPECT_EQ(broken_by(aesgate_test_sets_direction), "direction flag: expected clear, got set");
  EXPECT_EQ(broken_by(aesgate_test_checks_alignment), "alignment check flag: expected clear, got set");
  EXPECT_EQ(broken_by(aesgate_test_writes_home_space),
            "stack above the return address: 8 bytes above: expected c7c7c7c7c7c7c7c7, got 0000000000000000");
  EXPECT_EQ(broken_by(aesgate_test_sets_mxcsr), "MXCSR control bits: expected 1f80, got 9fc0");
  EXPECT_EQ(broken_by(aesgate_test_sets_x87_control), "x87 control word: expected 037f, got 027f");
  EXPECT_TRUE(broken_by(aesgate_test_leaves_mmx).starts_with("x87 tag word: expected all registers empty, got "));
  EXPECT_EQ(broken_by(aesgate_test_raises_inexact), "");
  EXPECT_EQ(broken_by(+[] {}), "");
}

TEST(abi_watch, breaches_of_several_calls_are_told_once_each) {
  AbiWatch watch;
  watch(aesgate_test_loses_rbx);
  watch(aesgate_test_sets_direction);
  watch(aesgate_test_loses_rbx);
  EXPECT_EQ(watch.take_breaches().size(), 2u);
  EXPECT_FALSE(watch.has_breaches());
}

TEST(abi_watch, upper_halves_that_stay_in_use_are_seen_where_the_cpu_tells) {
  if (!AbiWatch::tells_upper_halves()) GTEST_SKIP() << "this CPU does not tell";
  AbiWatch watch;
  watch(aesgate_test_leaves_ymm);
  EXPECT_TRUE(watch.upper_halves_in_use());
  watch(aesgate_test_keeps_ymm_clean);
  EXPECT_FALSE(watch.upper_halves_in_use());
  EXPECT_FALSE(watch.has_breaches());
}

TEST(abi_watch, what_a_call_leaves_on_the_stack_is_there_to_look_at) {
  AbiWatch watch;
  watch(aesgate_test_writes_below);
  EXPECT_TRUE(watch.stack().empty());
  watch.watch_stack(true);
  watch(aesgate_test_writes_below);
  const std::uint64_t value = 0x1122334455667788;
  ASSERT_EQ(watch.stack().size(), 208u);
  EXPECT_EQ(std::memcmp(watch.stack().data(), &value, sizeof value), 0);
  watch.watch_stack(false);
  EXPECT_TRUE(watch.stack().empty());
}

#endif

}  // namespace
}  // namespace aesgate
