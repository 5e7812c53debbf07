#pragma once

#include <filesystem>
#include <string>

namespace aesgate {

inline constexpr const char* published_vectors = AESGATE_SOURCE_DIR "/kat/vectors";

/// A copy of the published vectors for a test to spoil; removed with the object.
class ScratchVectors {
 public:
  ScratchVectors();
  ~ScratchVectors();
  ScratchVectors(const ScratchVectors&) = delete;
  ScratchVectors& operator=(const ScratchVectors&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// Replaces the first `from` in `file` by `to`; fails the test if there is none.
  void replace(const std::string& file, const std::string& from, const std::string& to) const;

  /// Flips the last bit of the value on the first line of `file` that begins with `front`.
  void flip_last_bit(const std::string& file, const std::string& front) const;

 private:
  [[nodiscard]] std::string read(const std::string& file) const;

  std::filesystem::path folder_;
};

}  // namespace aesgate
