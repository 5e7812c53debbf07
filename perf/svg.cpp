#include "perf/svg.h"

#include <array>
#include <cmath>

namespace aesgate::svg {
namespace {

constexpr std::size_t colours = 8, dashes = 4, markers = 5;

// Okabe and Ito, "Color Universal Design" (2008). Yellow is darker on white than theirs, and blue lighter on black.
constexpr std::array<std::string_view, colours> on_light{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                         "#e69f00", "#56b4e9", "#000000", "#9a8700"};
constexpr std::array<std::string_view, colours> on_dark{"#4aa8e0", "#ff7f2a", "#1fcf9a", "#e59ac6",
                                                        "#ffb81f", "#9bd7f7", "#ffffff", "#f0e442"};
constexpr std::array<std::string_view, dashes> patterns{"none", "7 3", "2 3", "9 3 2 3"};

std::string colour_rules(const std::array<std::string_view, colours>& palette, std::string_view paper,
                         std::string_view ink, std::string_view grid) {
  std::string css = fmt::format(
      ".paper{{fill:{0}}}text{{fill:{1}}}.axis{{stroke:{1}}}.grid{{stroke:{2}}}"
      ".floor{{stroke:{1}}}.halo{{stroke:{0}}}\n",
      paper, ink, grid);
  for (std::size_t i = 0; i < palette.size(); ++i)
    css += fmt::format(".c{0}{{stroke:{1}}}.f{0}{{fill:{1}}}\n", i, palette[i]);
  return css;
}

std::string style_sheet() {
  std::string css =
      "text{font:12px sans-serif;stroke:none}.title{font-size:15px;font-weight:bold}.small{font-size:11px}"
      ".axis,.grid{fill:none;stroke-width:1}.floor{fill:none;stroke-width:1;stroke-dasharray:1 3}"
      ".halo{fill:none;stroke-width:3}.line{fill:none;stroke-width:1.7;stroke-linejoin:round}"
      ".mark{fill:none;stroke-width:1.5}\n";
  for (std::size_t i = 0; i < patterns.size(); ++i) css += fmt::format(".d{}{{stroke-dasharray:{}}}", i, patterns[i]);
  return css + "\n" + colour_rules(on_light, "#ffffff", "#222222", "#e3e3e3") +
         "@media (prefers-color-scheme:dark){\n" + colour_rules(on_dark, "#16181c", "#dddddd", "#33363d") + "}\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out;
}

std::string text(double x, double y, std::string_view words, std::string_view more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, more.empty() ? "" : " ", more,
                     escaped(words));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style_class) {
  return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", style_class, x1, y1, x2, y2);
}

std::string document(double width, double height, std::string_view title, const std::string& body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "role=\"img\">\n<title>{2}</title>\n<style>\n{3}</style>\n<rect class=\"paper\" width=\"100%\" "
      "height=\"100%\"/>\n"
      "{4}</svg>\n",
      width, height, escaped(title), style_sheet(), body);
}

Look look(std::size_t number) {
  return {fmt::format("c{} d{}", number % colours, number / colours % dashes), number % markers};
}

std::string marker(double x, double y, const Look& look) {
  constexpr double r = 3.2;
  const std::string_view colour = std::string_view(look.classes).substr(0, look.classes.find(' '));
  const auto path = [&](const std::string& d) {
    return fmt::format("<path class=\"mark {}\" d=\"{}\"/>\n", colour, d);
  };
  switch (look.marker) {
    case 0: return fmt::format("<circle class=\"mark {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", colour, x, y, r);
    case 1: return path(fmt::format("M{:.1f} {:.1f}h{}v{}h-{}z", x - r, y - r, 2 * r, 2 * r, 2 * r));
    case 2: return path(fmt::format("M{:.1f} {:.1f}l{} {}h-{}z", x, y - r, r, 2 * r, 2 * r));
    case 3:
      return path(
          fmt::format("M{:.1f} {:.1f}l{} {}l-{} {}l-{} -{}z", x, y - r - 1, r + 1, r + 1, r + 1, r + 1, r + 1, r + 1));
    default:
      return path(fmt::format("M{:.1f} {:.1f}l{} {}M{:.1f} {:.1f}l{} -{}", x - r, y - r, 2 * r, 2 * r, x - r, y + r,
                              2 * r, 2 * r));
  }
}

double Scale::operator()(double value) const {
  return at_from + (at_to - at_from) * std::log(value / from) / std::log(to / from);
}

std::vector<double> ticks(const Scale& scale) {
  std::vector<double> all;
  for (double decade = std::pow(10, std::floor(std::log10(scale.from))); decade <= scale.to; decade *= 10)
    for (const double step : {1.0, 2.0, 5.0})
      if (const double value = decade * step; value >= scale.from * 0.999 && value <= scale.to * 1.001)
        all.push_back(value);
  return all;
}

}  // namespace aesgate::svg
