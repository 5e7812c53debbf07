#include "perf/cell_counts.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "witness/instruction.h"
#include "witness/shared_trace.h"

namespace aesgate {
namespace {

constexpr std::uint64_t mark = witness::SharedTrace::instruction_mark;
constexpr std::uint64_t page = 4096;

std::string why_not(const char* side, const CountedCall& call) {
  return fmt::format("the {}: {}: {}", side, name(call.verdict), call.reason);
}

/// `bytes`, or as many as are likely to take a quarter of what is allowed, in blocks and one at least, where `bytes`
/// are likely to take more than that: a longer call would tell no more. `instructions_a_byte` is 0 where it is not
/// known.
std::size_t affordable(std::size_t bytes, double instructions_a_byte, std::size_t allowed) {
  const double most = static_cast<double>(allowed) / 4;
  if (instructions_a_byte * static_cast<double>(bytes) <= most) return bytes;
  const auto blocks = static_cast<std::size_t>(most / instructions_a_byte) / block_bytes;
  return std::min(bytes, std::max<std::size_t>(blocks, 1) * block_bytes);
}

}  // namespace

bool same_execution(std::span<const std::uint64_t> one, std::span<const std::uint64_t> other) {
  if (one.size() != other.size()) return false;
  std::set<std::pair<std::uint64_t, std::uint64_t>> alike;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] % page != other[i] % page || (one[i] & mark) != (other[i] & mark)) return false;
    if ((one[i] & mark) == 0) continue;
    const std::pair places(one[i] & ~mark, other[i] & ~mark);
    if (places.first == places.second || alike.contains(places)) continue;
    if (!witness::same_but_for_place(places.first, places.second)) return false;
    alike.insert(places);
  }
  return true;
}

CellCounts count_pair(const aesgate_backend& baseline, const aesgate_backend& candidate, const Workload& workload,
                      CountOptions options) {
  CellCounts counts;
  counts.bytes = workload.bytes;
  // Two sides that execute the same have been counted twice. Others are, each by itself, to know that it is not chance.
  for (const bool twice : {false, true}) {
    options.twice = twice;
    CountedCall calls[2];
    // In a loop, so that both are called from the same place, with the stack at the same one.
    for (std::size_t side = 0; side < 2; ++side) {
      calls[side] = count_instructions(side == 0 ? baseline : candidate, workload, options);
      if (calls[side].counted()) continue;
      counts.reason = why_not(side == 0 ? "baseline" : "candidate", calls[side]);
      return counts;
    }
    counts.baseline = calls[0].instructions;
    counts.candidate = calls[1].instructions;
    counts.baseline_aes = calls[0].aes_instructions;
    counts.candidate_aes = calls[1].aes_instructions;
    counts.same_execution = same_execution(calls[0].trace, calls[1].trace);
    if (counts.same_execution) break;
  }
  return counts;
}

std::vector<CellCounts> count_pairs(const aesgate_backend& baseline, const aesgate_backend& candidate,
                                    const std::vector<Workload>& workloads, const CountOptions& options,
                                    double seconds) {
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds;
  };
  std::vector<std::size_t> order(workloads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return workloads[i].bytes; });
  std::vector<CellCounts> all(workloads.size());
  std::map<std::size_t, double> a_byte;  // by shape, what the longest call so far took
  for (const std::size_t i : order) {
    Workload workload = workloads[i];
    CellCounts& counts = all[i];
    counts.bytes = workload.bytes;
    double& known = a_byte[index(workload.shape)];
    if (is_over()) {
      counts.reason = fmt::format("there was no time: {:g} s are for all counts", seconds);
    } else {
      workload.bytes = affordable(workload.bytes, known, options.most_instructions);
      counts = count_pair(baseline, candidate, workload, options);
      if (counts.counted())
        known = static_cast<double>(std::max(counts.baseline, counts.candidate)) / static_cast<double>(counts.bytes);
    }
  }
  return all;
}

}  // namespace aesgate
