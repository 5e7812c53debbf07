#pragma once

#include <string>
#include <string_view>

namespace aesgate {

/// MemoryFile: a file in memory, for what another process is to read or write: neither end waits for the other, and
/// nothing is left when both are gone.
class MemoryFile {
 public:
  /// Its descriptor is 10 or above, so that putting it in the place of one of those that a program starts with
  /// overwrites no other, and is closed in programs that this process starts. Throws std::system_error.
  MemoryFile();
  /// With this text.
  explicit MemoryFile(std::string_view text);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Under which other processes of this user can open it while this object lives.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string text() const;

 private:
  int descriptor_ = -1;
};

/// All of an open file from its start, as far as it can be read: up to 256 MiB, which no report here comes near.
[[nodiscard]] std::string contents(int descriptor);

}  // namespace aesgate
