#pragma once

#include <cstddef>
#include <vector>

namespace aesgate {

/// Migration: takes the thread that makes it from one CPU to another, among those that it may run on; the destructor
/// gives it back the freedom to run on any of them.
class Migration {
 public:
  Migration();
  ~Migration();
  Migration(const Migration&) = delete;
  Migration& operator=(const Migration&) = delete;

  /// May the thread run on more than one CPU? If not, the rest does nothing.
  [[nodiscard]] bool possible() const { return cpus_.size() > 1; }

  /// To the next CPU, the first few times; on the thread that made it only, also from a signal handler.
  void next() noexcept;

 private:
  std::vector<int> cpus_;
  std::vector<std::byte> all_, one_;  // a cpu_set_t each
  std::size_t at_ = 0;
  unsigned moves_ = 0;
};

}  // namespace aesgate
