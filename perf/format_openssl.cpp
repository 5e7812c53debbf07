#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "perf/perf_formats.h"

namespace aesgate {
namespace {

/// OpenSSL's name: "AES-128-CFB" is CFB128.
std::string cipher(const Shape& shape) {
  const std::string mode = shape.mode == Mode::cfb128 ? "CFB" : std::string(name(shape.mode));
  return fmt::format("AES-{}-{}", bits(shape.key_size), mode);
}

/// Of a call at that size, elapsed.
double bytes_per_second(const PerfResult& result) {
  return 1e9 / (result.elapsed ? result.elapsed->nanoseconds_per_byte : result.nanoseconds_per_byte);
}

using Sizes = std::vector<std::size_t>;

/// A table: the series of one backend, direction and placement that are timed at the same sizes.
struct Table {
  std::string title;
  Sizes sizes;
  std::vector<const PerfSeries*> rows;
};

std::vector<Table> tables(const PerfReport& report) {
  std::vector<Table> all;
  for (const PerfSeries& series : report.series) {
    if (series.wrong || series.cells.empty()) continue;
    std::string title = fmt::format("aesgate perf: {}, {}{}{}", series.backend, name(series.shape.direction),
                                    series.in_place ? ", in place" : "",
                                    series.offset == 0 ? "" : fmt::format(", buffers at {}", series.offset));
    Sizes sizes;
    for (const std::size_t cell : series.cells) sizes.push_back(report.results[cell].bytes);
    auto table =
        std::ranges::find_if(all, [&](const Table& other) { return other.title == title && other.sizes == sizes; });
    if (table == all.end()) table = all.insert(all.end(), {std::move(title), std::move(sizes), {}});
    table->rows.push_back(&series);
  }
  // A backend's tables follow each other, in the order in which they were first seen.
  std::ranges::stable_sort(all, {}, [&](const Table& table) {
    return std::ranges::find(report.series, table.rows.front()->backend, &PerfSeries::backend) - report.series.begin();
  });
  return all;
}

/// What was wrong, which no table shows.
std::string failures(const PerfReport& report) {
  std::string text;
  for (const PerfResult& result : report.results)
    if (is_failure(result.verdict))
      text += fmt::format("aesgate perf: {}, {}, {} bytes: not timed, {}: {}\n", result.backend, name(result.shape),
                          result.bytes, name(result.verdict), result.reason);
  return text;
}

}  // namespace

// The formats are those of apps/speed.c: "%-13s", " %11.2fk" and, up to 10000 bytes a second, " %11.2f ".
std::string to_openssl(const PerfReport& report) {
  std::string text = failures(report);
  for (const Table& table : tables(report)) {
    text += fmt::format("{}{}\nThe 'numbers' are in 1000s of bytes per second processed.\ntype        ",
                        text.empty() ? "" : "\n", table.title);
    for (const std::size_t bytes : table.sizes) text += fmt::format("{:7} bytes", bytes);
    text += '\n';
    for (const PerfSeries* series : table.rows) {
      text += fmt::format("{:<13}", cipher(series->shape));
      for (const std::size_t cell : series->cells) {
        const double rate = bytes_per_second(report.results[cell]);
        text += rate > 10000 ? fmt::format(" {:11.2f}k", rate / 1e3) : fmt::format(" {:11.2f} ", rate);
      }
      text += '\n';
    }
  }
  return text;
}

std::string to_openssl_mr(const PerfReport& report) {
  constexpr int evp = 25;  // the number that OpenSSL 3 gives to what -evp names
  std::string text = failures(report);
  for (const Table& table : tables(report)) {
    text += table.title + "\n+H";
    for (const std::size_t bytes : table.sizes) text += fmt::format(":{}", bytes);
    text += '\n';
    for (const PerfSeries* series : table.rows) {
      text += fmt::format("+F:{}:{}", evp, cipher(series->shape));
      for (const std::size_t cell : series->cells)
        text += fmt::format(":{:.2f}", bytes_per_second(report.results[cell]));
      text += '\n';
    }
  }
  return text;
}

}  // namespace aesgate
