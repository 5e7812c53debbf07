#pragma once

#include <string>

#include <time.h>

#include "core/migration.h"

namespace aesgate {

/// Interruptions: while it lives, a timer's signal comes to the thread that made it again and again, some 30
/// microseconds apart. The handler does what a handler may: it changes every vector register and mask, which the kernel
/// restores, uses the stack below the red zone, and takes the thread to another CPU if it was given a Migration. One a
/// thread at a time. The signal is SIGURG, which does nothing in a process that does not ask for it.
class Interruptions {
 public:
  explicit Interruptions(Migration* migration);
  ~Interruptions();
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

  /// Empty, or why there is no timer.
  [[nodiscard]] const std::string& why_none() const { return why_none_; }

  /// How often the signal came.
  [[nodiscard]] unsigned count() const;

 private:
  timer_t timer_{};
  std::string why_none_;
};

}  // namespace aesgate
