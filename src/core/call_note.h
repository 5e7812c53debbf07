#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

namespace aesgate {

/// CallNote: which call of a backend is under way, in memory that another process can read: that one then knows where
/// this process was when it died or went silent. Plain bytes, since the backend may have written over it.
class CallNote {
 public:
  /// A call begins: "start()", "update() 3, of 16 at 48"; what does not fit is cut off.
  void enter(std::string_view call);
  /// It came back.
  void leave() { inside_.store(0, std::memory_order_release); }
  /// No call was made yet.
  void clear();

  /// "in start()" while it runs, "after start()" when it came back, "before the first call". For a process that
  /// runs no more. Nothing in it but printable characters, whatever the memory holds.
  [[nodiscard]] std::string where() const;

 private:
  static constexpr std::size_t size = 120;
  std::atomic<unsigned char> inside_{0};
  std::atomic<unsigned char> length_{0};
  char call_[size]{};
};

}  // namespace aesgate
