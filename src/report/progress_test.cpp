#include "report/progress.h"

#include <gtest/gtest.h>

namespace aesgate {
namespace {

TEST(StatusLine, ShowsTheTasksThatFitWhole) {
  const std::vector<std::string> running{"kat aesni CFB128", "fuzz sbox OFB", "props ttable CBC"};
  const std::string all = "[##..]  50%  kat aesni CFB128, fuzz sbox OFB, props ttable CBC";
  EXPECT_EQ(status_line("[##..]  50%", running, all.size()), all);
  EXPECT_EQ(status_line("[##..]  50%", running, all.size() - 1), "[##..]  50%  kat aesni CFB128, fuzz sbox OFB +1");
  EXPECT_EQ(status_line("[##..]  50%", running, 40), "[##..]  50%  kat aesni CFB128 +2");
  EXPECT_EQ(status_line("[##..]  50%", running, 28), "[##..]  50%");
  EXPECT_EQ(status_line("[##..]  50%", {}, 80), "[##..]  50%");
}

TEST(StatusLine, IsNeverWiderAndNeverEndsInsideAWord) {
  const std::string head = "[##..]  50%  12 s  1,234 cases";
  const std::vector<std::string> running{"kat aesni CFB128", "fuzz sbox OFB"};
  const std::string whole = status_line(head, running, 200) + ' ';
  for (std::size_t columns = 0; columns < whole.size(); ++columns) {
    std::string line = status_line(head, running, columns);
    EXPECT_LE(line.size(), columns);
    if (const std::size_t more = line.find(" +"); more != std::string::npos) line.resize(more);
    ASSERT_EQ(whole.substr(0, line.size()), line);
    EXPECT_TRUE(line.empty() || whole[line.size()] == ' ' || whole[line.size()] == ',') << line;
  }
}

}  // namespace
}  // namespace aesgate
