#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/host.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/shape.h"
#include "core/status.h"
#include "perf/instruction_count.h"
#include "perf/model_call.h"
#include "report/record.h"

namespace aesgate {

// The leg of perf that needs no clock: what a call executes is the same on a busy machine as on a quiet one.

struct CountRunOptions {
  /// Bytes a call; each applies to every mode. Empty: default_count_sizes(mode).
  std::vector<std::size_t> sizes;
  std::vector<Direction> directions{all_directions.begin(), all_directions.end()};
  std::vector<KeySize> key_sizes{KeySize::bits128};
  bool in_place = false;
  CountOptions count{};
  std::vector<std::string> models;  // CPUs for which cycles are modelled (llvm_mca.h)

  static constexpr std::size_t max_bytes = std::size_t{1} << 16;
};

/// 16, 64, 256, 512, 1024 bytes; 1, 16, 64 in CFB8 and 1, 2, 8 in CFB1, where each takes some ciphers a byte.
[[nodiscard]] std::vector<std::size_t> default_count_sizes(Mode mode);

/// CountResult: one backend, shape and size.
struct CountResult {
  std::string backend;
  Shape shape;
  std::size_t bytes = 0;
  bool in_place = false;

  /// As CountedCall says; and mismatch, unsupported and the others where nothing was counted.
  Verdict verdict = Verdict::declined;
  std::string reason;
  std::size_t instructions = 0, aes_instructions = 0;
  std::vector<ModelledCycles> modelled;  // by CountReport::models

  [[nodiscard]] bool counted() const { return verdict == Verdict::agree; }
};

struct CountReport {
  Host host;
  std::string stepping;             // empty, or why nothing could be stepped
  std::string modeller;             // "llvm-mca 19.1.7", if cycles were modelled
  std::vector<std::string> models;  // CPUs
  std::vector<CountResult> results;

  [[nodiscard]] std::size_t counted() const;
  [[nodiscard]] bool has_failure() const;
};

/// 0: something was counted and nothing was wrong; 1: a backend was wrong; 3: nothing was counted.
[[nodiscard]] int exit_status(const CountReport& report);

using CountProgress = std::function<void(std::size_t done, std::size_t total, const CountResult& result)>;

/// Judges a Case of each cell, as perf does, and counts one call of it. An Error is bad input, oracles that disagree,
/// or a model that llvm-mca does not have.
[[nodiscard]] Result<CountReport> run_count(const Plan& plan, const CountRunOptions& options, Record& record,
                                            const CountProgress& progress = {});

}  // namespace aesgate
