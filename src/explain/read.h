#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "explain/speed_run.h"

namespace aesgate::explain {

/// Adds what a saved output holds: of `openssl speed` (also -mr and -multi, also as it comes out of a mail), `botan
/// speed
/// --format=json`, `bench-slope --csv`, `kcapi-speed`, `cryptsetup benchmark`, `aesgate perf --json`; failures that
/// OpenSSL or Linux's self-tests report; the flags in /proc/cpuinfo. A text may hold several runs, and lines of
/// anything else. An Error, with the line, if there is nothing of these in it, or a line of them cannot be read.
[[nodiscard]] Result<void> read_text(std::string_view text, const std::string& name, Reading& reading);

}  // namespace aesgate::explain
