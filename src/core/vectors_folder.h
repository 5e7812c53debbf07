#pragma once

#include <filesystem>
#include <string>

#include "core/result.h"

namespace aesgate {

/// The folder of the published vectors: `wanted` if it is not empty; else, the first that exists of the
/// environment's AESGATE_VECTORS, the one installed beside this program (../share/aesgate/vectors), and
/// the one in the source tree that it was built from. An Error names all that were looked at.
[[nodiscard]] Result<std::filesystem::path> vectors_folder(const std::string& wanted);

}  // namespace aesgate
