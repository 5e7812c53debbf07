#include "perf/charts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "perf/svg.h"

namespace aesgate {
namespace {

constexpr double left = 62, right = 112, top = 34, bottom = 46;  // of a panel, to its plot; labels are on the right
constexpr double label_row = 14;                                 // the least between two labels
constexpr double head = 56, legend_row = 20, legend_column = 150;

/// A panel: the series of one shape and placement.
struct Panel {
  std::string title;
  std::vector<const PerfSeries*> series;
};

/// What is drawn, and in which unit.
class Chart {
 public:
  explicit Chart(const PerfReport& report) : report_(report) {
    for (const PerfSeries& series : report.series)
      if (!series.wrong && !series.cells.empty()) panel_of(series).series.push_back(&series);
    std::size_t timed = 0;
    for (const PerfResult& result : report.results) {
      timed += result.timed();
      without_cycles_ += result.timed() && !result.cycles_per_byte;
    }
    in_cycles_ = without_cycles_ * 2 < timed;
    panel_width_ = panels_.size() > 1 ? 560 : 780;
    panel_height_ = panels_.size() > 1 ? 400 : 460;
    for (const Panel& panel : panels_)
      panel_height_ = std::max(panel_height_, top + bottom + label_row * static_cast<double>(panel.series.size() + 1));
    rank_backends();
  }

  [[nodiscard]] std::string draw() {
    std::string body = heading();
    const std::size_t columns = panels_.size() > 1 ? 2 : 1;
    const double width = static_cast<double>(columns) * panel_width_ + 20;
    double y = head;
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      body += panel(panels_[i], static_cast<double>(i % columns) * panel_width_, y);
      if (i % columns == columns - 1 || i + 1 == panels_.size()) y += panel_height_;
    }
    if (panels_.empty()) body += svg::text(20, y += 20, "Nothing was timed.");
    body += legend(width, y);
    return svg::document(width, y + 20, "aesgate perf: " + unit() + " by bytes a call", body);
  }

 private:
  Panel& panel_of(const PerfSeries& series) {
    std::string title(name(series.shape));
    if (series.in_place) title += ", in place";
    if (series.offset != 0) title += fmt::format(", buffers at {}", series.offset);
    const auto known = std::ranges::find(panels_, title, &Panel::title);
    return known != panels_.end() ? *known : panels_.emplace_back(Panel{title, {}});
  }

  [[nodiscard]] std::string unit() const { return in_cycles_ ? "core cycles a byte" : "nanoseconds a byte"; }

  [[nodiscard]] bool is_drawn(const PerfResult& result) const { return !in_cycles_ || result.cycles_per_byte; }

  [[nodiscard]] double value(const PerfResult& result) const {
    return in_cycles_ ? result.cycles_per_byte->median : result.nanoseconds_per_byte;
  }

  /// Bulk in the unit of the chart, or what the largest call drawn takes; nothing if none is.
  [[nodiscard]] std::optional<double> bulk(const PerfSeries& series) const {
    if (in_cycles_ && series.cycles) return series.cycles->per_byte.value;
    if (!in_cycles_ && series.units) return series.units->per_byte.value * report_.clock.nanoseconds_per_unit;
    std::optional<double> last;
    for (const std::size_t cell : series.cells)
      if (is_drawn(report_.results[cell])) last = value(report_.results[cell]);
    return last;
  }

  /// The fastest first, by the mean over panels of the logarithm of how much more it takes than the fastest there.
  /// Those that come one after the other, and so lie close together, then differ in colour, marker and dashes alike.
  void rank_backends() {
    std::map<std::string, std::vector<double>> behind;
    for (const Panel& panel : panels_) {
      double fastest = 1e300;
      for (const PerfSeries* series : panel.series) fastest = std::min(fastest, bulk(*series).value_or(fastest));
      for (const PerfSeries* series : panel.series)
        if (const auto own = bulk(*series); own && *own > 0 && fastest > 0)
          behind[series->backend].push_back(std::log(*own / fastest));
    }
    std::vector<std::pair<double, std::string>> ranks;
    for (const auto& [backend, logs] : behind)
      ranks.emplace_back(std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size()), backend);
    std::ranges::sort(ranks);
    for (auto& [rank, backend] : ranks) backends_.push_back(std::move(backend));
  }

  svg::Look look_of(const std::string& backend) {
    const auto known = std::ranges::find(backends_, backend);
    const auto number = static_cast<std::size_t>(known - backends_.begin());
    if (known == backends_.end()) backends_.push_back(backend);  // one whose slope is no ratio
    return svg::look(number);
  }

  [[nodiscard]] std::string heading() const {
    const std::string facts = fmt::format("{}, {}; window {}; medians, lower is faster", report_.host.cpu,
                                          report_.host.system, name(report_.window));
    return svg::text(20, 24, fmt::format("How fast AES is: {} by bytes a call", unit()), "class=\"title\"") +
           svg::text(20, 42, facts, "class=\"small\"");
  }

  /// The floors of a panel's series, by what they are of.
  [[nodiscard]] std::map<double, std::string> floors(const Panel& panel) const {
    std::map<double, std::string> all;
    if (!in_cycles_) return all;
    for (const PerfSeries* series : panel.series)
      for (const std::size_t cell : series->cells)
        if (const auto& floor = report_.results[cell].floor_cycles_per_byte) {
          std::string& units = all[*floor];
          if (units.find(series->unit) == std::string::npos) units += (units.empty() ? "" : ", ") + series->unit;
        }
    return all;
  }

  std::string panel(const Panel& panel, double x, double y) {
    std::set<std::size_t> sizes;
    double least = 1e300, most = 0;
    for (const PerfSeries* series : panel.series)
      for (const std::size_t cell : series->cells) {
        const PerfResult& result = report_.results[cell];
        if (!is_drawn(result)) continue;
        sizes.insert(result.bytes);
        least = std::min(least, value(result));
        most = std::max(most, value(result));
      }
    if (sizes.empty()) return svg::text(x + left, y + top, panel.title + ": nothing in this unit");
    const std::map<double, std::string> all_floors = floors(panel);
    if (!all_floors.empty()) least = std::min(least, all_floors.begin()->first);
    const double x0 = x + left, x1 = x + panel_width_ - right, y0 = y + panel_height_ - bottom, y1 = y + top;
    // Room beside the first and last size, and below and above.
    const svg::Scale across{static_cast<double>(*sizes.begin()) / 1.4, static_cast<double>(*sizes.rbegin()) * 1.4, x0,
                            x1};
    const svg::Scale up{least / 1.6, most * 1.4, y0, y1};
    std::string out = axes(panel.title, across, up, sizes);
    double last_label = 1e300;
    has_floors_ = has_floors_ || !all_floors.empty();
    for (const auto& [floor, units] : all_floors) {
      out += svg::line(x0, up(floor), x1, up(floor), "floor");
      // From the lowest up; one too near the last has its line alone.
      if (last_label - up(floor) < 13) continue;
      last_label = up(floor);
      // Below its line, where no backend of that unit comes.
      out += svg::text(x0 + 5, up(floor) + 11, "floor of " + units, "class=\"small\"");
    }
    for (const PerfSeries* series : panel.series) out += curve(*series, across, up);
    out += labels(panel, across, up);
    return out;
  }

  [[nodiscard]] std::string axes(const std::string& title, const svg::Scale& across, const svg::Scale& up,
                                 const std::set<std::size_t>& sizes) const {
    const double x0 = across.at_from, x1 = across.at_to, y0 = up.at_from, y1 = up.at_to;
    std::string out = svg::text(x0, y1 - 10, title, "font-weight=\"bold\"");
    double last = y0 + 100;
    for (const double tick : svg::ticks(up)) {
      out += svg::line(x0, up(tick), x1, up(tick), "grid");
      if (last - up(tick) < 13) continue;  // no room for the words
      last = up(tick);
      out += svg::text(x0 - 6, up(tick) + 4, fmt::format("{:g}", tick), "text-anchor=\"end\" class=\"small\"");
    }
    last = x0 - 100;
    for (const std::size_t bytes : sizes) {
      const double at = across(static_cast<double>(bytes));
      out += svg::line(at, y0, at, y1, "grid");
      const std::string words = bytes % 1024 == 0 ? fmt::format("{}Ki", bytes / 1024) : std::to_string(bytes);
      if (at - last < 7.0 * static_cast<double>(words.size())) continue;
      last = at;
      out += svg::text(at, y0 + 16, words, "text-anchor=\"middle\" class=\"small\"");
    }
    out += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n", x0, y1, y0, x1);
    out += svg::text((x0 + x1) / 2, y0 + 34, "bytes a call", "text-anchor=\"middle\" class=\"small\"");
    const double middle = (y0 + y1) / 2, beside = x0 - 46;
    return out + svg::text(beside, middle, unit(),
                           fmt::format("text-anchor=\"middle\" class=\"small\" transform=\"rotate(-90 {:.1f} {:.1f})\"",
                                       beside, middle));
  }

  /// All cells of a series, those without a figure too, from small to large.
  [[nodiscard]] std::vector<const PerfResult*> cells_of(const PerfSeries& series) const {
    std::vector<const PerfResult*> cells;
    for (const PerfResult& result : report_.results)
      if (result.backend == series.backend && result.shape == series.shape && result.in_place == series.in_place &&
          result.offset == series.offset)
        cells.push_back(&result);
    std::ranges::stable_sort(cells, {}, &PerfResult::bytes);
    return cells;
  }

  [[nodiscard]] bool has_figure(const PerfResult& result) const { return result.timed() && is_drawn(result); }

  std::string curve(const PerfSeries& series, const svg::Scale& across, const svg::Scale& up) {
    const svg::Look look = look_of(series.backend);
    std::string path, marks;
    bool joined = false;
    const std::vector<const PerfResult*> cells = cells_of(series);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const PerfResult& result = *cells[i];
      if (!has_figure(result)) {  // no line goes on to what comes after it
        joined = false;
        marks += gap(cells, i, look, across, up);
        continue;
      }
      const double x = across(static_cast<double>(result.bytes)), y = up(value(result));
      path += fmt::format("{}{:.1f} {:.1f}", joined ? "L" : "M", x, y);
      joined = true;
      marks += svg::marker(x, y, look);
    }
    return fmt::format("<path class=\"line {}\" d=\"{}\"/>\n{}", look.classes, path, marks);
  }

  /// A question mark where the line would have been, had it gone on straight; nothing beyond the sizes of the panel.
  std::string gap(const std::vector<const PerfResult*>& cells, std::size_t at, const svg::Look& look,
                  const svg::Scale& across, const svg::Scale& up) {
    const PerfResult *before = nullptr, *after = nullptr;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (has_figure(*cells[i]) && (i < at || after == nullptr)) (i < at ? before : after) = cells[i];
    const double x = across(static_cast<double>(cells[at]->bytes));
    if ((before == nullptr && after == nullptr) || x < across.at_from || x > across.at_to) return {};
    if (before == nullptr) before = after;
    if (after == nullptr) after = before;
    const double x1 = across(static_cast<double>(before->bytes)), x2 = across(static_cast<double>(after->bytes));
    const double y1 = up(value(*before)), y2 = up(value(*after));
    const double y = x2 > x1 ? y1 + (y2 - y1) * (x - x1) / (x2 - x1) : y1;
    ++gaps_;
    return svg::text(x, y + 4, "?", fmt::format("text-anchor=\"middle\" class=\"gap {}\"", look.fill_class()));
  }

  /// The name of each curve at its right end, with its marker; pushed apart where ends lie close together.
  std::string labels(const Panel& panel, const svg::Scale& across, const svg::Scale& up) {
    struct Label {
      double x, y;
      std::string backend;
    };
    std::vector<Label> all;
    for (const PerfSeries* series : panel.series) {
      const PerfResult* last = nullptr;
      for (const PerfResult* result : cells_of(*series))
        if (has_figure(*result)) last = result;
      if (last != nullptr) all.push_back({across(static_cast<double>(last->bytes)), up(value(*last)), series->backend});
    }
    std::ranges::stable_sort(all, {}, &Label::y);
    std::vector<double> wanted;
    for (const Label& label : all) wanted.push_back(label.y);
    const std::vector<double> places = svg::pushed_apart(wanted, label_row, up.at_to, up.at_from);
    std::string out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const svg::Look look = look_of(all[i].backend);
      const double x = across.at_to + 12;
      out += svg::line(all[i].x + 5, all[i].y, x - 5, places[i], "leader " + look.colour_class());
      out += svg::marker(x, places[i], look) + svg::text(x + 8, places[i] + 4, all[i].backend, "class=\"small\"");
    }
    return out;
  }

  /// In rows below the panels; `y` moves to its end.
  std::string legend(double width, double& y) {
    std::string out;
    if (has_floors_) {
      y += legend_row;
      out += svg::line(20, y - 6, 54, y - 6, "floor") +
             svg::text(62, y - 2, "floor: what the AES instructions of that unit alone take", "class=\"small\"");
    }
    if (gaps_ > 0) {
      y += legend_row;
      out += svg::text(37, y - 2, "?", "text-anchor=\"middle\" class=\"gap\"") +
             svg::text(62, y - 2,
                       fmt::format(
                           "{} cell{} without a figure, and a gap in the line: not timed, or cycles could not be told",
                           gaps_, gaps_ == 1 ? "" : "s"),
                       "class=\"small\"");
    }
    const auto columns = std::max<std::size_t>(1, static_cast<std::size_t>((width - 40) / legend_column));
    for (std::size_t i = 0; i < backends_.size(); ++i) {
      const svg::Look look = svg::look(i);
      const double x = 20 + legend_column * static_cast<double>(i % columns);
      const double at = y + 14 + legend_row * static_cast<double>(i / columns);
      out += fmt::format("<path class=\"line {}\" d=\"M{:.1f} {:.1f}h34\"/>\n", look.classes, x, at);
      out += svg::marker(x + 17, at, look) + svg::text(x + 42, at + 4, backends_[i]);
    }
    if (!backends_.empty()) y += 14 + legend_row * static_cast<double>((backends_.size() - 1) / columns + 1);
    return out;
  }

  const PerfReport& report_;
  std::vector<Panel> panels_;
  std::vector<std::string> backends_;  // in the order of their speed
  std::size_t without_cycles_ = 0, gaps_ = 0;
  bool in_cycles_ = true;
  bool has_floors_ = false;
  double panel_width_ = 0, panel_height_ = 0;
};

}  // namespace

std::string to_svg(const PerfReport& report) { return Chart(report).draw(); }

}  // namespace aesgate
