#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/result.h"

namespace aesgate {

/// The name of the list of files and checksums in a folder of vectors, in the form of sha256sum.
inline constexpr const char* checksum_list = "SHA256SUMS";

/// The files that the folder's SHA256SUMS lists, in its order. An Error if the folder lacks one of them or holds a
/// vector file (.rsp) that is not listed: a file that got lost would otherwise only be fewer passes. What is in the
/// files is not looked at: a value that changed is for the stage to find, and the checksums are ctest's to hold.
[[nodiscard]] Result<std::vector<std::string>> list_vector_files(const std::filesystem::path& folder);

/// The Cases of one mode in all files of a folder; an Error also if there are none for one of the shapes.
[[nodiscard]] Result<std::vector<Case>> read_vectors(const std::filesystem::path& folder, Mode mode);

}  // namespace aesgate
