#include "report/text_table.h"

#include <gtest/gtest.h>

namespace aesgate {
namespace {

TEST(TextTable, AlignsColumnsAndLeavesNoBlanksAtTheEnd) {
  TextTable table;
  table.add({{"name", Tone::plain}, {"a", Tone::plain}, {"b", Tone::plain}});
  table.add({{"x", Tone::plain}, {"1,000", Tone::good}, {"", Tone::plain}});
  EXPECT_EQ(table.text(false), "name      a  b\nx     1,000\n");
  EXPECT_EQ(table.text(true), "name      a  b\nx     \033[32m1,000\033[0m\n");
}

TEST(TextTable, IsEmptyWithItsHeadingAlone) {
  TextTable table;
  EXPECT_TRUE(table.empty());
  table.add({{"name"}});
  EXPECT_TRUE(table.empty());
  table.add({{"x"}});
  EXPECT_FALSE(table.empty());
}

TEST(TextTable, OneThatIsTooWideBecomesSeveral) {
  TextTable table;
  const std::string wide(45, '1');
  table.add({{"name", Tone::plain}, {wide, Tone::plain}, {wide, Tone::plain}, {"3", Tone::plain}});
  EXPECT_EQ(table.text(false), "name  " + wide + "  " + wide + "\n\nname  3\n");
  TextTable wider;
  wider.add({{"name", Tone::plain}, {wide + wide + wide, Tone::plain}, {"2", Tone::plain}});
  EXPECT_EQ(wider.text(false), "name  " + wide + wide + wide + "\n\nname  2\n") << "a column is never cut";
}

TEST(Wrapped, IndentsWhatFollowsAndCutsNoWord) {
  EXPECT_EQ(wrapped("a: ", "b c"), "a: b c\n");
  EXPECT_EQ(wrapped("a: ", ""), "a:\n");
  const std::string word(60, 'w');
  EXPECT_EQ(wrapped("a: ", word + ' ' + word), "a: " + word + "\n   " + word + '\n');
  const std::string longer(200, 'w');
  EXPECT_EQ(wrapped("a: ", longer + " b"), "a: " + longer + "\n   b\n");
}

}  // namespace
}  // namespace aesgate
