#include "perf/charts.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <pugixml.hpp>

#include "perf/made_up_report_test.h"
#include "perf/svg.h"

namespace aesgate {
namespace {

using testing::HasSubstr;

const Shape ecb{Mode::ecb, Direction::encrypt, KeySize::bits128};

/// The document, if it is one.
pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_string(svg.c_str());
  EXPECT_TRUE(result) << result.description() << " at " << result.offset << "\n" << svg;
  EXPECT_STREQ(document.document_element().name(), "svg");
  return document;
}

std::size_t count(const pugi::xml_document& document, const char* xpath) { return document.select_nodes(xpath).size(); }

TEST(Charts, ALineForEachSeriesAPanelForEachShapeAndOneLegend) {
  const pugi::xml_document svg =
      parsed(to_svg(made_up_report({{}, {.backend = "slow", .per_byte = 9}, {.shape = ecb, .per_byte = 0.3}})));
  EXPECT_EQ(count(svg, "//path[@class='axis']"), 2u);
  // Two in the first panel, one in the second, two in the legend.
  EXPECT_EQ(count(svg, "//path[starts-with(@class,'line ')]"), 5u);
  EXPECT_EQ(count(svg, "//text[.='bytes a call']"), 2u);
  EXPECT_EQ(count(svg, "//text[.='core cycles a byte']"), 2u);
  EXPECT_EQ(count(svg, "//text[.='slow']"), 2u);   // at its line and in the legend
  EXPECT_EQ(count(svg, "//text[.='quick']"), 3u);  // at its two and in the legend
  EXPECT_EQ(count(svg, "//text[.='16Ki']"), 2u);
  EXPECT_EQ(count(svg, "//path[@class='floor']"), 0u);
}

TEST(Charts, FloorsAreDrawnAndSaidWhoseTheyAre) {
  PerfReport report = made_up_report({{}});
  for (PerfResult& result : report.results) result.floor_cycles_per_byte = 2.5;
  const pugi::xml_document svg = parsed(to_svg(report));
  EXPECT_EQ(count(svg, "//path[@class='floor']"), 2u);  // and in the legend
  EXPECT_EQ(count(svg, "//text[.='floor of aes.xmm']"), 1u);
}

/// The pieces that the first line of a chart is drawn in.
std::ptrdiff_t pieces(const pugi::xml_document& document) {
  const std::string path = document.select_node("//path[starts-with(@class,'line ')]").node().attribute("d").value();
  return std::ranges::count(path, 'M');
}

TEST(Charts, ALineHasAGapWhereACellHasNoCyclesOrAllIsInNanoseconds) {
  PerfReport report = made_up_report({{}});
  for (PerfResult& result : report.results) result.floor_cycles_per_byte = 2.5;
  EXPECT_EQ(pieces(parsed(to_svg(report))), 1);
  EXPECT_EQ(count(parsed(to_svg(report)), "//text[.='?']"), 0u);
  report.results[2].cycles_per_byte.reset();
  const pugi::xml_document cycles = parsed(to_svg(report));
  EXPECT_EQ(pieces(cycles), 2);
  EXPECT_EQ(count(cycles, "//circle"), 5u + 2);  // at its name and in the legend
  EXPECT_EQ(count(cycles, "//text[.='?']"), 1u + 1);
  EXPECT_EQ(count(cycles, "//text[contains(.,'1 cell without a figure, and a gap in the line')]"), 1u);
  for (PerfResult& result : report.results) result.cycles_per_byte.reset();
  const pugi::xml_document nanoseconds = parsed(to_svg(report));
  EXPECT_EQ(count(nanoseconds, "//text[.='nanoseconds a byte']"), 1u);
  EXPECT_EQ(count(nanoseconds, "//circle"), 6u + 2);
  EXPECT_EQ(pieces(nanoseconds), 1);
  EXPECT_EQ(count(nanoseconds, "//path[@class='floor']"), 0u);
}

TEST(Charts, ALineHasAGapWhereACellWasRefused) {
  PerfReport report = made_up_report({{}});
  report.results[2].verdict = Verdict::declined;
  report.series[0].cells.erase(report.series[0].cells.begin() + 2);
  const pugi::xml_document svg = parsed(to_svg(report));
  EXPECT_EQ(pieces(svg), 2);
  EXPECT_EQ(count(svg, "//text[.='?']"), 1u + 1);
}

TEST(Charts, TheLegendHasTheFastestFirst) {
  const pugi::xml_document svg = parsed(to_svg(
      made_up_report({{.backend = "slow", .per_byte = 9}, {.per_byte = 0.3}, {.backend = "middling", .per_byte = 3}})));
  std::vector<std::string> names;
  for (const auto& node : svg.select_nodes("//text[not(@class)][.='slow' or .='quick' or .='middling']"))
    names.emplace_back(node.node().text().get());
  EXPECT_THAT(names, testing::ElementsAre("quick", "middling", "slow"));
}

TEST(Charts, NamesAtTheLinesDoNotOverlap) {
  std::vector<MadeUp> all;
  for (int i = 0; i < 14; ++i) all.push_back({.backend = fmt::format("backend-{}", i), .per_byte = 1 + 0.001 * i});
  const pugi::xml_document svg = parsed(to_svg(made_up_report(all)));
  std::set<double> heights;
  for (const auto& node : svg.select_nodes("//text[@class='small'][starts-with(.,'backend-')]"))
    heights.insert(node.node().attribute("y").as_double());
  ASSERT_EQ(heights.size(), 14u);
  for (auto at = std::next(heights.begin()); at != heights.end(); ++at) EXPECT_GE(*at - *std::prev(at), 13.8);
}

TEST(Charts, OfNothingOrOfWhatIsWrong) {
  EXPECT_THAT(to_svg(PerfReport{}), HasSubstr("Nothing was timed."));
  parsed(to_svg(PerfReport{}));
  parsed(to_via_svg(PerfReport{}));
  PerfReport report = made_up_report({{}});
  report.series[0].wrong = true;
  EXPECT_THAT(to_svg(report), HasSubstr("Nothing was timed."));
}

TEST(Charts, NamesAreEscaped) {
  PerfReport report = made_up_report({{}});
  report.host.cpu = "A & B <C> \"D\"\x01";
  EXPECT_EQ(count(parsed(to_svg(report)), "//text[contains(.,'A & B <C> \"D\",')]"), 1u);
}

TEST(Charts, FollowTheReadersScheme) {
  for (const std::string& svg : {to_svg(made_up_report({{}})), to_via_svg(made_up_report({{}}))})
    EXPECT_THAT(svg, HasSubstr("@media (prefers-color-scheme:dark)"));
}

TEST(Charts, ViaHasABarForEachBackendAndMode) {
  const pugi::xml_document svg = parsed(
      to_via_svg(made_up_report({{.unit = "none"}, {.backend = "card", .shape = ecb, .per_byte = 0.3}}, {16384})));
  EXPECT_EQ(count(svg, "//rect[@class='f0']"), 2u);  // and one in the legend
  EXPECT_EQ(count(svg, "//rect[@class='f4']"), 2u);
  EXPECT_EQ(count(svg, "//text[.='not timed']"), 6u);
}

TEST(Svg, ScalesAreLogarithmic) {
  const svg::Scale scale{1, 100, 0, 200};
  EXPECT_DOUBLE_EQ(scale(1), 0);
  EXPECT_DOUBLE_EQ(scale(10), 100);
  EXPECT_DOUBLE_EQ(scale(100), 200);
  EXPECT_THAT(svg::ticks(scale), testing::ElementsAre(1, 2, 5, 10, 20, 50, 100));
}

TEST(Svg, TheFirst280LooksDiffer) {
  std::set<std::string> looks;
  for (std::size_t i = 0; i < 280; ++i) looks.insert(svg::look(i).classes + std::to_string(svg::look(i).marker));
  EXPECT_EQ(looks.size(), 280u);
}

TEST(Svg, PushedApartAsLittleAsCanBe) {
  using testing::ElementsAre;
  EXPECT_THAT(svg::pushed_apart({}, 10, 0, 100), ElementsAre());
  EXPECT_THAT(svg::pushed_apart({20, 40}, 10, 0, 100), ElementsAre(20, 40));
  EXPECT_THAT(svg::pushed_apart({20, 40, 42}, 10, 0, 100), ElementsAre(20, 36, 46));
  EXPECT_THAT(svg::pushed_apart({1, 1}, 10, 0, 100), ElementsAre(0, 10));
  EXPECT_THAT(svg::pushed_apart({99, 99}, 10, 0, 100), ElementsAre(90, 100));
  EXPECT_THAT(svg::pushed_apart({1, 2, 3}, 100, 0, 100), ElementsAre(0, 50, 100));
}

}  // namespace
}  // namespace aesgate
