#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/shape.h"
#include "witness/backend_witness.h"

namespace aesgate {

/// WitnessSummary: a run of `aesgate witness BACKEND…`.
struct WitnessSummary {
  std::vector<witness::BackendWitness> backends;
  std::vector<std::pair<std::string, std::string>> unavailable;  // backends that cannot run here, and why
  bool backends_named = false;                                   // the user asked for these, and not for all
  bool require_proof = false;
  double seconds = 0;

  /// 1 if a claim is refuted; 3 if nothing was looked at, or proof is required and one is not proven, or cannot run
  /// and was named; else 0.
  [[nodiscard]] int exit_status() const;
};

/// The table for a person, its reasons and notes, and a last line that begins with the worst verdict.
[[nodiscard]] std::string to_text(const WitnessSummary& summary, bool colour);

/// {"backends": [to_json() of each], "unavailable": [{"name", "reason"}], "result": {"proven", "refuted", "consistent",
/// "unknown", "seconds", "exit_status"}}
[[nodiscard]] nlohmann::ordered_json to_json(const WitnessSummary& summary);

/// {"name", "claim", "emulated", "verdict", "ran", "reason", "notes", "served_by", "interrupts", "shapes": [{"shape",
/// "verdict", "ran", "reason", "blocks", "complete", "instructions", "aes_instructions", "last_round_lanes": {"xmm",
/// "ymm", "zmm"}, "blocks_matched", "xcrypt_blocks", "gfni_instructions", "system_calls", "device_requests"}]}
[[nodiscard]] nlohmann::ordered_json to_json(const witness::BackendWitness& witness);

}  // namespace aesgate
