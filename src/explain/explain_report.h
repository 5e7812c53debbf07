#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "explain/explanation.h"

namespace aesgate::explain {

/// An explanation for a person: the runs, then facts, inferences and likely causes apart, then the commands to run
/// next. Lines that end in "\n".
[[nodiscard]] std::string to_text(const Explanation& explanation);

/// The same, after json_head():
///
///     {… "runs": [{"label": "run 1", "file", "line", "tool", "algorithm", "direction" or null, "key_bits", "variant",
///                  "version", "engine", "evp": true, false or null, "clock": "elapsed", "cpu" or "unknown",
///                  "processes", "cpu_share" or null, "not_timed",
///                  "fit": {"setup_seconds", "setup_error", "seconds_per_byte", "per_byte_error", "worst_residual",
///                          "sizes"} or null,
///                  "samples": [{"bytes", "bytes_per_second" (as the text has it) or null,
///                               "elapsed_bytes_per_second" or null}]}],
///      "conclusions": [{"kind", "list": "fact", "inference" or "likely cause",
///                       "sure": "certain", "very likely", "likely" or "possible", "text"}],
///      "next": ["command"], "exit_status"}
[[nodiscard]] nlohmann::ordered_json to_json(const Explanation& explanation);

/// 1 if the text shows a wrong result or an engine that was refused, else 0.
[[nodiscard]] int exit_status(const Explanation& explanation);

}  // namespace aesgate::explain
