#pragma once

#include <functional>
#include <optional>
#include <string>

namespace aesgate {

/// Probe: a piece of work whose time is known, in core cycles, or says something about who shares the core.
struct Probe {
  std::string name;  // "ADD"
  double amount;     // of `run`: core cycles for a chain, instructions for a width
  std::function<void()> run;
};

/// CalibrationProbes: two chains of dependent instructions, each waiting for the one before, on different
/// pipes, so that the time of each is its length times its latency, whatever else the core does; and
/// independent instructions that take every slot the core has, and so lose half of them to another thread
/// on the same core, which a chain would not notice.
struct CalibrationProbes {
  Probe first_chain, second_chain;
  Probe width;
};

/// Those of this architecture: x86-64 and AArch64; nothing elsewhere.
[[nodiscard]] std::optional<CalibrationProbes> cpu_probes();

}  // namespace aesgate
