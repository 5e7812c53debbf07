#pragma once

#include <string>
#include <vector>

#include "witness/asked_for.h"
#include "witness/traced_program.h"

namespace aesgate::witness {

/// Which AES the kernel did: "the kernel did AES for it: AF_ALG, skcipher cbc(aes), 120 requests". Of traffic with
/// crossings.
[[nodiscard]] std::string kernel_aes(const KernelTraffic& traffic);

/// What was asked of the kernel, and what became of engines and providers; each a clause. `on_cpu`: AES instructions
/// were seen.
[[nodiscard]] std::vector<std::string> kernel_sentences(const TracedRun& run, const AskedFor& asked, bool on_cpu);

/// What could not be seen of this run, and why; each a clause.
[[nodiscard]] std::vector<std::string> limit_sentences(const TracedRun& run);

/// Were all system calls seen that matter here?
[[nodiscard]] bool sees_all_calls(const TracedRun& run);

}  // namespace aesgate::witness
