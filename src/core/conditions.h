#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace aesgate {

/// Conditions: what goes on around the calls of a Case. None of it may change what comes out.
struct Conditions {
  /// What the context's memory went through before the message begins.
  enum class Memory : std::uint8_t {
    fresh,            // filled with one value, which is not the same in all Cases
    another_message,  // a message under another key, of another shape where that takes a context of the same size
    restarted,        // one to five messages under this key and another IV, each but the first after a restart()
    started_again     // a message under this key and IV, then finish() and start() again
  };
  Memory memory = Memory::fresh;

  /// So many other contexts of the backend, of other keys and shapes, are started before this one, called between all
  /// of its calls, and finished at different moments.
  std::uint8_t company = 0;
  /// The same on so many other threads at the same time.
  std::uint8_t threads = 0;

  // A timer's signal interrupts the calls, and its handler changes every vector register; with `threads` it comes back
  // after a call of another thread.
  bool timer = false;
  // The thread goes to another CPU between calls, and with `timer` during them; without it the context also passes to
  // another thread after start(), and back for finish().
  bool migration = false;

  static constexpr std::uint8_t max_company = 16;
  static constexpr std::uint8_t max_threads = 16;
  friend bool operator==(const Conditions&, const Conditions&) = default;
};

/// "memory restarted; company 3; threads 2; timer; migration": what differs from Conditions{}.
[[nodiscard]] std::string to_text(const Conditions& conditions);
[[nodiscard]] Result<Conditions> parse_conditions(std::string_view text);

}  // namespace aesgate
