#include <optional>

#include <fmt/format.h>

#include "perf/perf_formats.h"

namespace aesgate {
namespace {

/// RFC 4180, section 2: what holds a comma, a quote or a line's end is quoted, and quotes are doubled.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; }

std::string head_of(const std::string& backend, const std::string& unit, const Shape& shape, bool in_place,
                    std::size_t offset) {
  return fmt::format("{},{},{},{},{},{},{}", quoted(backend), quoted(unit), name(shape.mode), name(shape.direction),
                     bits(shape.key_size), in_place ? 1 : 0, offset);
}

/// One line's figures; an interval of three values each.
struct Figures {
  std::optional<Figure> cycles;
  std::optional<Figure> units;
  std::optional<double> nanoseconds, floor;
};

std::string figures_text(const Figures& f) {
  const auto interval = [](const std::optional<Figure>& figure) {
    return figure ? fmt::format("{:.6g},{:.6g},{:.6g}", figure->value, figure->low, figure->high) : ",,";
  };
  const auto ratio = f.floor && f.cycles ? std::optional(f.cycles->value / *f.floor) : std::nullopt;
  return fmt::format("{},{},{},{},{}", interval(f.cycles), interval(f.units), number(f.nanoseconds), number(f.floor),
                     number(ratio));
}

Figure of(const Estimate& estimate) { return {estimate.median, estimate.low, estimate.high}; }

std::optional<Figure> of(const std::optional<Estimate>& estimate) {
  return estimate ? std::optional(of(*estimate)) : std::nullopt;
}

std::string cell_line(const PerfResult& r) {
  Figures figures;
  if (r.timed())
    figures = {of(r.cycles_per_byte), of(r.units_per_byte), r.nanoseconds_per_byte, r.floor_cycles_per_byte};
  return fmt::format("{},update,{},{},{},{},{},{},{}\n", head_of(r.backend, r.unit, r.shape, r.in_place, r.offset),
                     r.bytes, name(r.verdict), figures_text(figures), r.samples_used, r.samples_taken,
                     r.elapsed ? fmt::format("{:.4f}", r.elapsed->cpu_share) : "", quoted(r.reason));
}

/// What keeps the cost of a call, which is what the slope leaves of small calls, from being read as a time.
const char* remark_on_call(const Figure& call) {
  if (call.high < 0) return "below 0: small calls took less than the slope makes of their bytes";
  return call.low <= 0 ? "the interval includes 0" : "";
}

std::string series_lines(const PerfSeries& s, double nanoseconds_per_unit) {
  const std::string head = head_of(s.backend, s.unit, s.shape, s.in_place, s.offset);
  const auto line = [&](const char* what, const Figures& figures, std::string used, std::string taken,
                        const char* remark = "") {
    return fmt::format("{},{},,agree,{},{},{},,{}\n", head, what, figures_text(figures), used, taken, remark);
  };
  std::string text;
  if (s.units) {
    const auto part = [&](Figure CallLine::*figure, std::optional<double> floor) {
      return Figures{s.cycles ? std::optional((*s.cycles).*figure) : std::nullopt, (*s.units).*figure,
                     ((*s.units).*figure).value * nanoseconds_per_unit, floor};
    };
    text += line("bulk", part(&CallLine::per_byte, s.floor_cycles_per_byte), "", "");
    text += line("call", part(&CallLine::call, {}), "", "", remark_on_call((s.cycles ? s.cycles : s.units)->call));
  }
  if (s.key_setup)
    text += line("key set-up", {of(s.key_setup->cycles), of(s.key_setup->units), s.key_setup->nanoseconds, {}},
                 std::to_string(s.key_setup->samples_used), std::to_string(s.key_setup->samples_taken));
  return text;
}

}  // namespace

std::string to_csv(const PerfReport& report) {
  const std::string unit = report.clock.unit == "tick" ? "ticks" : report.clock.unit == "ns" ? "ns" : "clock_cycles";
  std::string text = fmt::format(
      "backend,unit,mode,direction,key_bits,in_place,offset,what,bytes,verdict,core_cycles,core_cycles_low,"
      "core_cycles_high,{0},{0}_low,{0}_high,nanoseconds,floor_core_cycles,ratio_to_floor,samples_used,samples_taken,"
      "cpu_share,reason\n",
      unit);
  for (const PerfResult& result : report.results) text += cell_line(result);
  for (const PerfSeries& series : report.series) text += series_lines(series, report.clock.nanoseconds_per_unit);
  return text;
}

}  // namespace aesgate
