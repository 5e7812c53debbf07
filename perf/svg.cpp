#include "perf/svg.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace aesgate::svg {
namespace {

constexpr std::size_t colours = 8, dashes = 5, markers = 7;

// Okabe and Ito, "Color Universal Design" (2008). Yellow is darker on white than theirs, and blue lighter on black.
constexpr std::array<std::string_view, colours> on_light{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                         "#e69f00", "#56b4e9", "#000000", "#9a8700"};
constexpr std::array<std::string_view, colours> on_dark{"#4aa8e0", "#ff7f2a", "#1fcf9a", "#e59ac6",
                                                        "#ffb81f", "#9bd7f7", "#ffffff", "#f0e442"};
constexpr std::array<std::string_view, dashes> patterns{"none", "7 3", "2 2.5", "10 3 2 3", "14 4"};

std::string colour_rules(const std::array<std::string_view, colours>& palette, std::string_view paper,
                         std::string_view ink, std::string_view grid) {
  std::string css = fmt::format(
      ".paper{{fill:{0}}}text{{fill:{1}}}.axis{{stroke:{1}}}.grid{{stroke:{2}}}"
      ".floor{{stroke:{1}}}.mark{{fill:{0}}}.gap{{stroke:{0}}}\n",
      paper, ink, grid);
  for (std::size_t i = 0; i < palette.size(); ++i)
    css += fmt::format(".c{0}{{stroke:{1}}}.f{0}{{fill:{1}}}\n", i, palette[i]);
  return css;
}

std::string style_sheet() {
  std::string css =
      "text{font:12px sans-serif;stroke:none}.title{font-size:15px;font-weight:bold}.small{font-size:11px}"
      ".axis,.grid{fill:none;stroke-width:1}.floor{fill:none;stroke-width:1;stroke-dasharray:1 3}"
      ".gap{stroke-width:3;stroke-linejoin:round;paint-order:stroke}.gap{font-weight:bold}"
      ".line{fill:none;stroke-width:1.7;stroke-linejoin:round}.leader{fill:none;stroke-width:0.6}"
      ".mark{stroke-width:1.5}\n";
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
  return {fmt::format("c{} d{}", number % colours, number % dashes), number % colours, number % markers};
}

std::string marker(double x, double y, const Look& look) {
  constexpr double r = 3.2;
  const auto path = [&](const std::string& d) {
    return fmt::format("<path class=\"mark {}\" d=\"{}\"/>\n", look.colour_class(), d);
  };
  switch (look.marker) {
    case 0:
      return fmt::format("<circle class=\"mark {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", look.colour_class(), x,
                         y, r);
    case 1: return path(fmt::format("M{:.1f} {:.1f}h{}v{}h-{}z", x - r, y - r, 2 * r, 2 * r, 2 * r));
    case 2: return path(fmt::format("M{:.1f} {:.1f}l{} {}h-{}z", x, y - r - 1, r + 1, 2 * r + 1, 2 * r + 2));
    case 3:
      return path(
          fmt::format("M{:.1f} {:.1f}l{} {}l-{} {}l-{} -{}z", x, y - r - 1, r + 1, r + 1, r + 1, r + 1, r + 1, r + 1));
    case 4:
      return path(fmt::format("M{:.1f} {:.1f}l{} {}M{:.1f} {:.1f}l{} -{}", x - r, y - r, 2 * r, 2 * r, x - r, y + r,
                              2 * r, 2 * r));
    case 5: return path(fmt::format("M{:.1f} {:.1f}l-{} -{}h{}z", x, y + r + 1, r + 1, 2 * r + 1, 2 * r + 2));
    default:
      return path(fmt::format("M{:.1f} {:.1f}h{}M{:.1f} {:.1f}v{}", x - r - 1, y, 2 * r + 2, x, y - r - 1, 2 * r + 2));
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

std::vector<double> pushed_apart(const std::vector<double>& wanted, double gap, double least, double most) {
  if (wanted.empty()) return {};
  const auto last = static_cast<double>(wanted.size() - 1);
  gap = std::min(gap, last > 0 ? (most - least) / last : gap);
  // Less i gaps each, they have to ascend: an isotonic regression, by pooling neighbours that do not.
  struct Pool {
    double sum;
    std::size_t size;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    pools.push_back({wanted[i] - gap * static_cast<double>(i), 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool pool = pools.back();
      pools.pop_back();
      pools.back().sum += pool.sum;
      pools.back().size += pool.size;
    }
  }
  std::vector<double> places;
  for (const Pool& pool : pools)
    for (std::size_t i = 0; i < pool.size; ++i)
      places.push_back(std::clamp(pool.mean(), least, most - gap * last) + gap * static_cast<double>(places.size()));
  return places;
}

}  // namespace aesgate::svg
