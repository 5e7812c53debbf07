#include "perf/gate_matrix.h"

#include <algorithm>

#include <fmt/format.h>

namespace aesgate {
namespace {

// One block, in which the cost of a call is all (siphon-sip 305, openssl 27513); some blocks; and enough for a bulk
// path to be all (Botan cf8f7b5b).
constexpr std::size_t small = 16, medium = 256, large = 16384;

bool is_only_small(Mode mode) { return mode == Mode::cfb1 || mode == Mode::cfb8; }

/// CFB1 takes a block operation a bit.
std::size_t small_of(Mode mode) { return mode == Mode::cfb1 ? 2 : small; }

std::vector<std::size_t> sizes_of(const GateMatrix& matrix, Mode mode) {
  if (!matrix.sizes.empty()) return matrix.sizes;
  if (is_only_small(mode)) return {small_of(mode)};
  return {small, medium, large};
}

/// Is it left out of the default? A longer key is a loop of more rounds, and a key schedule, which is no part of a
/// call.
bool is_left_out(const Workload& workload) {
  if (workload.shape.key_size == KeySize::bits128) return false;
  if (is_only_small(workload.shape.mode) || workload.bytes == medium) return true;
  return workload.in_place != (workload.bytes == small);
}

}  // namespace

Result<std::vector<Workload>> gate_workloads(const GateMatrix& matrix, std::uint64_t seed) {
  const bool is_default = matrix.key_sizes.empty() && matrix.sizes.empty();
  const std::vector<KeySize> key_sizes =
      matrix.key_sizes.empty() ? std::vector(all_key_sizes.begin(), all_key_sizes.end()) : matrix.key_sizes;
  std::vector<Workload> workloads;
  for (const Mode mode : matrix.modes)
    for (const std::size_t bytes : sizes_of(matrix, mode)) {
      if (bytes == 0 || bytes > GateMatrix::max_bytes)
        return error("a size of {} bytes; it takes 1 to {}", bytes, GateMatrix::max_bytes);
      if (!takes_length(mode, bytes))
        return error("a size of {} bytes, but {} takes multiples of {}", bytes, name(mode), block_bytes);
    }
  for (const Mode mode : matrix.modes)
    for (const Direction direction : all_directions)
      for (const KeySize key_size : key_sizes)
        for (const std::size_t bytes : sizes_of(matrix, mode))
          for (const bool in_place : {false, true}) {
            const Workload workload{{mode, direction, key_size}, bytes, in_place, seed};
            if (!is_default || !is_left_out(workload)) workloads.push_back(workload);
          }
  return workloads;
}

std::string name(const Workload& workload) {
  return fmt::format("{}, {} bytes{}", name(workload.shape), workload.bytes, workload.in_place ? " in place" : "");
}

}  // namespace aesgate
