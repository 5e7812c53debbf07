#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace aesgate::kernel {

/// Answers: what the kernel said to the question if it has a mode with a key size; for several threads, each asking
/// until there is an answer that lasts. Modes are numbers below 4.
class Answers {
 public:
  /// ask(): true or false, or nothing if it may be otherwise the next time. That counts as true now: who then uses it
  /// fails, and says so.
  template <typename Ask>
  bool find(std::size_t mode, std::uint32_t key_bits, const Ask& ask) {
    std::atomic<Answer>& answer = answers_[mode][(key_bits - 128) / 64];
    Answer now = answer;
    if (now == Answer::none) {
      const std::optional<bool> said = ask();
      now = !said ? Answer::none : *said ? Answer::yes : Answer::no;
      answer = now;
    }
    return now != Answer::no;
  }

 private:
  enum class Answer : unsigned char { none, yes, no };
  std::array<std::array<std::atomic<Answer>, 3>, 4> answers_{};
};

}  // namespace aesgate::kernel
