#include <algorithm>
#include <array>
#include <cmath>

#include "perf/charts.h"
#include "perf/svg.h"
#include "perf/via_profile.h"

namespace aesgate {
namespace {

constexpr double left = 190, plot = 520, bar = 14, gap = 4, between_backends = 14, top = 96;

/// By ViaRow::Kind: colours that differ in brightness, too.
struct Fill {
  const char* style_class;
  double opacity;
};
constexpr std::array<Fill, 3> fills{{{"f4", 0.75}, {"f0", 1}, {"f2", 0.45}}};

std::string figure(double value) { return fmt::format("{:.{}f}", value, value < 100 ? 1 : 0); }

std::string bars(const std::vector<ViaRow>& rows, const svg::Scale& scale, double& y) {
  std::string out;
  for (const ViaRow& row : rows) {
    const Fill& fill = fills[static_cast<std::size_t>(row.kind)];
    out += svg::text(20, y + 2 * (bar + gap), row.backend + (row.modelled ? " (modelled)" : ""));
    for (std::size_t i = 0; i < via_modes.size(); ++i, y += bar + gap) {
      out += svg::text(left - 8, y + bar - 3, via_modes[i] == Mode::cfb128 ? "CFB" : name(via_modes[i]),
                       "text-anchor=\"end\" class=\"small\"");
      if (!row.iterations[i]) {
        out += svg::text(left + 6, y + bar - 3, "not timed", "class=\"small\"");
        continue;
      }
      const double end = std::max(scale(*row.iterations[i]), left + 1);
      out += fmt::format(
          "<rect class=\"{}\" fill-opacity=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
          fill.style_class, fill.opacity, left, y, end - left, bar);
      out += svg::text(end + 6, y + bar - 3, figure(*row.iterations[i]), "class=\"small\"");
    }
    y += between_backends;
  }
  return out;
}

}  // namespace

std::string to_via_svg(const PerfReport& report) {
  const std::vector<ViaRow> rows = via_rows(report);
  constexpr const char* title = "AES-128 encryption, iterations a minute (1000 × 16 KiB each)";
  std::string body = svg::text(20, 26, title, "class=\"title\"");
  body += svg::text(20, 46, fmt::format("{}, {}; window {}", report.host.cpu, report.host.system, name(report.window)),
                    "class=\"small\"");
  const double width = left + plot + 80;
  if (rows.empty()) return svg::document(width, 90, title, body + svg::text(20, 74, "Nothing of it was timed."));
  body += svg::text(20, 62, via_scaling(report), "class=\"small\"");
  double least = 1e300, most = 0;
  for (const ViaRow& row : rows)
    for (const auto& value : row.iterations)
      if (value) {
        least = std::min(least, *value);
        most = std::max(most, *value);
      }
  const double from = std::pow(10, std::floor(std::log10(least)));
  const svg::Scale scale{from, std::max(10 * from, std::pow(10, std::ceil(std::log10(most)))), left, left + plot};
  double y = top;
  const std::string all_bars = bars(rows, scale, y);
  for (double decade = scale.from; decade <= scale.to * 1.001; decade *= 10) {
    body += svg::line(scale(decade), top - 6, scale(decade), y, "grid");
    body += svg::text(scale(decade), top - 12, fmt::format("{:.0f}", decade), "text-anchor=\"middle\" class=\"small\"");
  }
  body += all_bars + svg::line(left, top - 6, left, y, "axis");
  body += svg::text(left + plot / 2, y + 16, "iterations a minute, logarithmic; more is faster",
                    "text-anchor=\"middle\" class=\"small\"");
  y += 38;
  const auto key = [&](double x, const Fill& fill, const char* words) {
    body += fmt::format("<rect class=\"{}\" fill-opacity=\"{}\" x=\"{}\" y=\"{}\" width=\"24\" height=\"12\"/>\n",
                        fill.style_class, fill.opacity, x, y - 10);
    body += svg::text(x + 32, y, words);
  };
  key(left, fills[1], "hardware");
  key(left + 120, fills[2], "library, which chooses");
  key(left + 320, fills[0], "software");
  return svg::document(width, y + 20, title, body);
}

}  // namespace aesgate
