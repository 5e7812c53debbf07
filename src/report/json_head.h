#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/host.h"

namespace aesgate {

/// What every JSON report of this program begins with:
///
///     {"schema": 1, "aesgate": "0.1.0", "command": "verify",
///      "host": {"cpu", "architecture", "system", "compiler", "cpus": 2, "features": ["ssse3", …],
///               "cpu_mask": "" or "aes,avx512"}}
[[nodiscard]] nlohmann::ordered_json json_head(std::string_view command, const Host& host);

}  // namespace aesgate
