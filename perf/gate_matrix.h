#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/shape.h"
#include "perf/update_loop.h"

namespace aesgate {

/// GateMatrix: which calls the gate compares. Empty lists: the default, in which every mode and direction has small,
/// medium and large calls, in place and not, with 128 bits, and with 192 and 256 the two ends of that; CFB1 and CFB8,
/// which no code does in bulk, have small calls alone. What is named is compared in full.
struct GateMatrix {
  std::vector<Mode> modes{all_modes.begin(), all_modes.end()};
  std::vector<KeySize> key_sizes;
  std::vector<std::size_t> sizes;  // bytes of a call

  static constexpr std::size_t max_bytes = std::size_t{1} << 20;
};

/// The workloads, by mode, direction, key size, bytes and placement. An Error says which size which mode does not take.
[[nodiscard]] Result<std::vector<Workload>> gate_workloads(const GateMatrix& matrix, std::uint64_t seed);

/// "CBC decrypt 128, 16384 bytes in place".
[[nodiscard]] std::string name(const Workload& workload);

}  // namespace aesgate
