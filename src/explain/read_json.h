#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/result.h"
#include "explain/speed_run.h"

namespace aesgate::explain {

/// The JSON that begins at `begin` of a text: of botan speed, or of aesgate itself.
[[nodiscard]] Result<void> read_json(std::string_view text, std::size_t begin, const std::string& name,
                                     Reading& reading);

// Each for a document of its program; an Error names what is missing by its JSON pointer.
[[nodiscard]] Result<void> read_botan(const nlohmann::json& document, const Place& place, Reading& reading);
[[nodiscard]] Result<void> read_aesgate(const nlohmann::json& document, const Place& place, Reading& reading);

}  // namespace aesgate::explain
