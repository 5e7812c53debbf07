#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/result.h"
#include "perf/perf_report.h"

namespace aesgate {

// Each format is a function of the report alone. Text ends in "\n".

/// For a person.
[[nodiscard]] std::string to_table(const PerfReport& report);

/// The same facts, after json_head() (report/json_head.h). Keys carry their unit; clock_units are what clock.unit says.
/// `raw`: with every sample. README.md has the fields.
[[nodiscard]] nlohmann::ordered_json to_json(const PerfReport& report, bool raw = false);

/// RFC 4180, with a heading: a line for each cell ("update", figures a byte), and for each series its "bulk" (a byte),
/// "call" and "key set-up" (a call).
[[nodiscard]] std::string to_csv(const PerfReport& report);

/// What Google Benchmark writes with --benchmark_format=json: its compare.py reads it. A benchmark is a cell, named
/// "aesni/CBC/encrypt/128/16384"; its time is the median of a call. A cell that was not timed has an error_message.
[[nodiscard]] nlohmann::ordered_json to_benchmark_json(const PerfReport& report);

/// The table of `openssl speed`, or its -mr lines: one for each backend and direction, under a line that names them.
/// 1000s of bytes a second, of the medians.
[[nodiscard]] std::string to_openssl(const PerfReport& report);
[[nodiscard]] std::string to_openssl_mr(const PerfReport& report);

/// The profile of VIA's benchmark tool of 2004: AES-128 encryption in ECB, CBC, CFB and OFB, software and hardware, in
/// iterations a minute and as bars on a logarithmic scale. Of the largest size of each.
[[nodiscard]] std::string to_via(const PerfReport& report);

/// The lines of a tutorial on counting cycles: seed, overhead, verdict, and clocks a byte in ticks and core cycles.
[[nodiscard]] std::string to_cycles(const PerfReport& report);

enum class PerfFormat { table, json, csv, benchmark, openssl, openssl_mr, via, cycles };
/// "table", "json", "csv", "benchmark", "openssl", "openssl-mr", "via", "cycles".
[[nodiscard]] Result<PerfFormat> parse_perf_format(std::string_view text);
[[nodiscard]] std::string to_text(PerfFormat format, const PerfReport& report, bool raw = false);

}  // namespace aesgate
