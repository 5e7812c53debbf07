#include "core/text_file.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace aesgate {
namespace {

std::string said_in(std::string_view text) { return said({text.data(), text.size()}); }

TEST(said, ends_at_the_first_zero_or_with_the_buffer) {
  EXPECT_EQ(said_in(std::string_view("no unit\0rest", 12)), "no unit");
  EXPECT_EQ(said_in("no zero"), "no zero");
  EXPECT_EQ(said_in(""), "");
}

TEST(said, is_utf8) {
  EXPECT_EQ(said_in("Gerät 1 µs €"), "Gerät 1 µs €");
  EXPECT_EQ(said_in("\xf0\x9f\x94\x92"), "\xf0\x9f\x94\x92");
  for (const char* bad : {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
    EXPECT_EQ(said_in(bad), std::string(std::string_view(bad).size(), '?')) << bad;
}

TEST(said, cannot_steer_a_terminal) {
  EXPECT_EQ(said_in("\x1b[31mred\r\nnext\x7f"), "?[31mred??next?");
  EXPECT_EQ(said_in("\xc2\x9b 31m"), "? 31m");                 // CSI as one character
  EXPECT_EQ(said_in("a\xe2\x80\xae z\xe2\x81\xa6"), "a? z?");  // right-to-left override, isolate
}

}  // namespace
}  // namespace aesgate
