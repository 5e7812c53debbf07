#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include <time.h>

#include "core/migration.h"

namespace aesgate {

/// Bystanders: threads that are in the same code as the interrupted one.
struct Bystanders {
  std::atomic<std::size_t> at_work{0};  // how many are, at this moment
  std::atomic<std::size_t> calls{0};    // that they have made, of all of them together
};

/// Interruptions: while it lives, a timer's signal comes to the thread that made it again and again, some 30
/// microseconds apart. The handler does what a handler may: it changes every vector register and mask, which the kernel
/// restores, uses the stack below the red zone, and takes the thread to another CPU if it was given a Migration. If it
/// was given Bystanders it comes back when one of them has made a whole call meanwhile, or after 100 microseconds: what
/// the interrupted call keeps where all threads have it is another's then. One a thread at a time. The signal is
/// SIGURG, which does nothing in a process that does not ask for it.
class Interruptions {
 public:
  explicit Interruptions(Migration* migration, const Bystanders* bystanders = nullptr);
  ~Interruptions();
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

  /// Empty, or why there is no timer.
  [[nodiscard]] const std::string& why_none() const { return why_none_; }

  /// Just before a call: sets the timer so that the next signal comes some time into it, 0.1 to 13 microseconds, each
  /// power of two of them as often; else a call of a microsecond is seldom met. Takes some 25 microseconds. Nothing on a
  /// thread without Interruptions.
  static void aim();

  /// How often the signal came.
  [[nodiscard]] unsigned count() const;

 private:
  timer_t timer_{};
  std::string why_none_;
};

}  // namespace aesgate
