#include "fuzz/failure_class.h"

#include <gtest/gtest.h>

namespace aesgate {
namespace {

Judgement differs(const char* field, std::ptrdiff_t offset, std::uint8_t found) {
  return {Verdict::mismatch, "said for a person", Difference{field, offset, 0, found}, {}};
}

TEST(failure_class, is_the_same_wherever_the_difference_lies) {
  EXPECT_EQ(class_of(differs("output", 3, 1)), "mismatch: output");
  EXPECT_EQ(class_of(differs("output", 128, 7)), class_of(differs("output", 3, 1)));
  EXPECT_EQ(class_of(differs("chaining value after 48 bytes", 0, 1)), "mismatch: chaining value after N bytes");
  EXPECT_NE(class_of(differs("input", 3, 1)), class_of(differs("output", 3, 1)));
}

TEST(failure_class, keeps_what_is_no_number) {
  const Judgement crashed{
      Verdict::crashed, "SIGSEGV in update() 3, of 16 at 48, reading at byte 18 of the input", {}, {}};
  EXPECT_EQ(class_of(crashed), "crashed: SIGSEGV in update() N, of N at N, reading at byte N of the input");
  const Judgement breach{
      Verdict::mismatch, "callee-saved register r12 after update() 1, of 16 at 0: expected 5, got 0x7f", {}, {}};
  EXPECT_EQ(class_of(breach), "mismatch: callee-saved register r12 after update() N, of N at N");
}

TEST(failure_class, is_one_line_of_bounded_length) {
  const std::string what = class_of({Verdict::crashed, "a C++ exception (" + std::string(1000, '\n') + ")", {}, {}});
  EXPECT_LT(what.size(), 300u);
  EXPECT_EQ(what.find('\n'), std::string::npos);
  EXPECT_EQ(without_numbers("12ab3 r12 0x1f,7"), "N r12 N,N");
}

TEST(failure_class, tells_backends_and_shapes_apart) {
  const Judgement judgement = differs("output", 1, 1);
  const Shape shape{Mode::cfb128, Direction::decrypt, KeySize::bits192};
  EXPECT_EQ(finding_key("aesni", shape, judgement), "aesni; CFB128 decrypt 192; mismatch: output");
}

}  // namespace
}  // namespace aesgate
