#include "perf/perf_formats.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace aesgate {
namespace {

constexpr std::array<std::pair<std::string_view, PerfFormat>, 8> known{{{"table", PerfFormat::table},
                                                                        {"json", PerfFormat::json},
                                                                        {"csv", PerfFormat::csv},
                                                                        {"benchmark", PerfFormat::benchmark},
                                                                        {"openssl", PerfFormat::openssl},
                                                                        {"openssl-mr", PerfFormat::openssl_mr},
                                                                        {"via", PerfFormat::via},
                                                                        {"cycles", PerfFormat::cycles}}};

}  // namespace

Result<PerfFormat> parse_perf_format(std::string_view text) {
  std::string names;
  for (const auto& [name, format] : known) {
    if (name == text) return format;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return error("unknown format \"{}\"; known: {}", text, names);
}

std::string to_text(PerfFormat format, const PerfReport& report, bool raw) {
  switch (format) {
    case PerfFormat::table: return to_table(report);
    case PerfFormat::json: return to_json(report, raw).dump(2) + '\n';
    case PerfFormat::csv: return to_csv(report);
    case PerfFormat::benchmark: return to_benchmark_json(report).dump(2) + '\n';
    case PerfFormat::openssl: return to_openssl(report);
    case PerfFormat::openssl_mr: return to_openssl_mr(report);
    case PerfFormat::via: return to_via(report);
    case PerfFormat::cycles: return to_cycles(report);
  }
  return {};
}

}  // namespace aesgate
