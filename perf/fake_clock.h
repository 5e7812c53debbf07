#pragma once

#include <cstdint>

#include "perf/clock.h"

namespace aesgate {

/// FakeClock: a clock whose time passes when a test says so, and a little when it is read.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(bool counts_core_cycles = false, double overhead = 100) {
    description_.name = "fake";
    description_.unit = counts_core_cycles ? "core cycle" : "tick";
    description_.counts_core_cycles = counts_core_cycles;
    description_.nanoseconds_per_unit = 0.5;
    description_.overhead = overhead;
  }

  void pass(double units) { now_ += units; }

  std::uint64_t start() override { return static_cast<std::uint64_t>(now_); }
  std::uint64_t stop() override {
    now_ += description_.overhead;
    return static_cast<std::uint64_t>(now_);
  }

 private:
  double now_ = 1e15;  // above 2^32: a clock that loses its high half shows
};

}  // namespace aesgate
