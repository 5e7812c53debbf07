#include "core/vectors_folder.h"

#include <cstdlib>
#include <vector>

namespace aesgate {
namespace {

std::filesystem::path installed_folder() {
  std::error_code failure;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return {};
  return program.parent_path().parent_path() / "share" / "aesgate" / "vectors";
}

}  // namespace

Result<std::filesystem::path> vectors_folder(const std::string& wanted) {
  std::vector<std::filesystem::path> places;
  const char* environment = std::getenv("AESGATE_VECTORS");
  if (!wanted.empty()) {
    places = {wanted};
  } else if (environment != nullptr && *environment != '\0') {
    places = {environment};
  } else {
    places = {installed_folder(), AESGATE_SOURCE_VECTORS};
  }
  std::string looked_at;
  for (const auto& place : places) {
    std::error_code ignored;
    if (std::filesystem::is_directory(place, ignored)) return place;
    looked_at += (looked_at.empty() ? "" : ", ") + place.string();
  }
  return error("no folder of vectors: {} (name one with --vectors DIR or AESGATE_VECTORS)", looked_at);
}

}  // namespace aesgate
