#include "cli/xml_test.h"

#include <regex>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace aesgate {
namespace {

const std::string text_pattern = "(?:[^<>&\"\\x01-\\x09\\x0b-\\x1f]|&(?:amp|lt|gt|quot|apos);)*";

}  // namespace

std::string why_not_well_formed(std::string_view xml) {
  static constexpr std::string_view declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  if (!xml.starts_with(declaration)) return "no declaration";
  xml.remove_prefix(declaration.size());
  static const std::regex tag("<(/?)([a-z-]+)((?: [a-z]+=\"" + text_pattern + "\")*)(/?)>");
  static const std::regex text(text_pattern);
  std::vector<std::string> open;
  std::size_t roots = 0;
  while (!xml.empty()) {
    const std::string between(xml.substr(0, xml.find('<')));
    if (!std::regex_match(between, text)) return fmt::format("bad text \"{}\"", between);
    xml.remove_prefix(between.size());
    if (xml.empty()) break;
    const std::string element(xml.substr(0, xml.find('>') + 1));
    std::smatch match;
    if (!std::regex_match(element, match, tag)) return fmt::format("bad tag \"{}\"", element);
    xml.remove_prefix(element.size());
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != match[2]) return fmt::format("\"{}\" closes nothing", element);
      open.pop_back();
      continue;
    }
    if (open.empty() && roots++ > 0) return "two roots";
    if (match[4].length() == 0) open.push_back(match[2]);
  }
  if (!open.empty()) return fmt::format("<{}> is not closed", open.back());
  return roots == 1 ? "" : "no root";
}

namespace {

TEST(WellFormed, FindsWhatIsNot) {
  const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  EXPECT_EQ(why_not_well_formed(head + "<a x=\"1 &amp; 2\"><b/>text</a>\n"), "");
  for (const char* bad : {"", "<a>", "<a></b>", "<a/><b/>", "<a x=1/>", "<a x=\"<\"/>", "<a>&</a>", "<a>\x01</a>"})
    EXPECT_NE(why_not_well_formed(head + bad), "") << bad;
}

}  // namespace
}  // namespace aesgate
