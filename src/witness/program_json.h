#pragma once

#include <nlohmann/json_fwd.hpp>

#include "witness/program_answer.h"
#include "witness/traced_program.h"

namespace aesgate::witness {

/// What a JSON report has of a run, after its head:
///
///     {"arguments": ["openssl", …], "commands": [["openssl", …], …],
///      "end": {"status", "signal" or null, "timed_out"},
///      "verdict": "PROVEN", "answer": the paragraph,
///      "aes": [{"object", "path", "unit", "instructions", "functions", "stripped", "samples", "executed",
///               "rounds": [{"rounds": 10, "key_bits": 128, "blocks_at_a_time": 1, "times"}],
///               "sites": [{"offset", "instruction", "lanes", "times"}]}],
///      "samples": {"taken", "with_aes", "after_calls": of these, where a call had just returned, "in_kernel",
///      "instructions", "aes_instructions", "held_seconds",
///                  "most_unseen": share of the time that what no sample saw can have taken, at 95 %,
///                  "not_stepped": {reason: stops}, "objects": {path: samples}},
///      "kernel": {"calls_seen", "crossings", "af_alg_sockets": {"done", "failed": {"EAFNOSUPPORT": 1}},
///                 "af_alg_binds": {name: …}, "af_alg_requests": {name: times}, "crypto_device": …,
///                 "crypto_ioctls": {name: …}, "crypto_sessions": {cipher: …},
///                 "modules": {path: …}, "ptrace": …, "stops"},
///      "cpu": {"user_seconds", "system_seconds", "wall_seconds"}, "processes", "threads", "not_seen": […]}
[[nodiscard]] nlohmann::ordered_json to_json(const ProgramAnswer& answer, const TracedRun& run);

}  // namespace aesgate::witness
