#pragma once

#include <string>

namespace aesgate::witness {

/// NamelessCopy: the bytes of a file in memory, which can be executed by path() while this object lives, and of which
/// whoever runs it finds no file: for a tool that would give up at the debug information in it.
class NamelessCopy {
 public:
  /// Throws std::system_error.
  explicit NamelessCopy(const std::string& file);
  ~NamelessCopy();
  NamelessCopy(const NamelessCopy&) = delete;
  NamelessCopy& operator=(const NamelessCopy&) = delete;

  /// For other processes of this user, too.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_ = -1;
};

}  // namespace aesgate::witness
