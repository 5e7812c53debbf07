#include "core/leftovers.h"

#include <gtest/gtest.h>

#include "core/abi_watch.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/tiny_backend_test.h"

namespace aesgate {
namespace {

Judgement run(const aesgate_backend& backend, const Case& c) {
  return judge(c, execute(backend, c), {execute(tiny::right_backend(), c).output});
}

TEST(leftovers, a_key_that_finish_leaves_in_the_context_is_a_mismatch) {
  aesgate_backend backend = tiny::right_backend();
  backend.finish = [](void* memory) { static_cast<tiny::Context*>(memory)->position = 0; };
  const Judgement j = run(backend, tiny::a_case({16}));
  EXPECT_EQ(j.verdict, Verdict::mismatch);
  EXPECT_EQ(j.reason, "finish() left the key at byte 0 of the context");
}

TEST(leftovers, so_is_a_round_key_in_a_context_that_is_otherwise_wiped) {
  aesgate_backend backend = tiny::right_backend();
  static const Bytes round_key = *from_hex("17fefaa0b12c54883939a32305766c2a");  // FIPS-197 A.1, words 4 to 7, reversed
  backend.finish = [](void* memory) {
    tiny::finish(memory);
    std::memcpy(static_cast<std::uint8_t*>(memory) + 7, round_key.data(), round_key.size());
  };
  Case c = tiny::a_case({16});
  EXPECT_EQ(run(backend, c).verdict, Verdict::agree);  // it is no round key of this one
  c.key = Key::from(*from_hex("2b7e151628aed2a6abf7158809cf4f3c")).value();
  EXPECT_EQ(run(backend, c).reason, "finish() left round key 1 at byte 7 of the context");
}

TEST(leftovers, so_is_half_of_one) {
  aesgate_backend backend = tiny::right_backend();
  backend.finish = [](void* memory) {
    const std::uint64_t half = *reinterpret_cast<const std::uint64_t*>(static_cast<tiny::Context*>(memory)->key + 8);
    tiny::finish(memory);
    std::memcpy(static_cast<std::uint8_t*>(memory) + 3, &half, sizeof half);
  };
  Case c = tiny::a_case({16});
  c.key = Key::from(*from_hex("2b7e151628aed2a6abf7158809cf4f3c")).value();
  EXPECT_EQ(run(backend, c).reason, "finish() left half of the key at byte 3 of the context");
}

TEST(leftovers, what_is_the_iv_or_the_data_too_is_no_key) {
  aesgate_backend backend = tiny::right_backend();
  backend.finish = [](void* memory) { static_cast<tiny::Context*>(memory)->position = 0; };
  Case c = tiny::a_case({16});
  std::copy_n(c.key.bytes().begin(), 16, c.iv.begin());
  EXPECT_EQ(run(backend, c).verdict, Verdict::agree);
}

// Copies its key to the stack, where it stays.
[[gnu::noinline]] void copy_key(const std::uint8_t* key) {
  std::uint8_t on_the_stack[64];
  std::memcpy(on_the_stack + 16, key, 16);
  asm volatile("" ::"r"(on_the_stack) : "memory");  // as if somebody used it
}

int update_with_a_copy(void* memory, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  const int status = tiny::update(memory, in, out, length);
  copy_key(static_cast<const tiny::Context*>(memory)->key);
  return status;
}

/// How many of 320 Cases give the warning; all must agree.
unsigned warned(const aesgate_backend& backend, std::string& example) {
  unsigned count = 0;
  for (std::size_t length = 1; length <= 320; ++length) {
    const Judgement j = run(backend, tiny::a_case({length}));
    EXPECT_EQ(j.verdict, Verdict::agree) << j.reason;
    const std::string& warning = j.warnings[static_cast<std::size_t>(Warning::key_on_stack)];
    if (warning.empty()) continue;
    ++count;
    example = warning;
  }
  return count;
}

TEST(leftovers, a_key_on_the_stack_is_a_warning_in_one_of_16_cases) {
  if (!AbiWatch::available()) GTEST_SKIP() << "the stack is looked at on x86-64 only";
  aesgate_backend backend = tiny::right_backend();
  std::string example;
  EXPECT_EQ(warned(backend, example), 0u);
  backend.update_for = tiny::with_update<update_with_a_copy>;
  EXPECT_NEAR(warned(backend, example), 20, 15);
  EXPECT_TRUE(example.starts_with("update() 1, of ") && example.ends_with(": the key")) << example;
}

}  // namespace
}  // namespace aesgate
