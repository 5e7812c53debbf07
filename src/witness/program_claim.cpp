#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "witness/kernel_sentences.h"
#include "witness/program_answer.h"

namespace aesgate::witness {
namespace {

/// Blocks by the unit that did a round of them, where a cipher's rounds were seen, or anywhere.
std::map<std::string_view, std::uint64_t> blocks_by_unit(const TracedRun& run, bool of_ciphers) {
  std::map<std::string_view, std::uint64_t> blocks;
  for (const auto& [number, tally] : run.samples.objects)
    for (const auto& [offset, site] : tally.aes)
      if ((tally.cipher_samples != 0 || !of_ciphers) && site.opcode.operation != AesOperation::key_assist &&
          site.opcode.operation != AesOperation::inverse_mix_columns)
        blocks[unit_of(site.opcode)] += site.executed * std::max<std::uint64_t>(site.opcode.lanes, 1);
  return blocks;
}

Judged unseen(const TracedRun& run) {
  const std::uint64_t samples = run.samples.fair_samples();
  if (!run.why_no_samples.empty()) return {ProgramVerdict::unknown, run.why_no_samples};
  if (!run.samples.not_stepped.empty())
    return {ProgramVerdict::unknown, fmt::format("no AES instruction was seen, but not all of it could be stepped: {}",
                                                 run.samples.not_stepped.begin()->first)};
  if (samples < enough_samples)
    return {ProgramVerdict::unknown, fmt::format("no AES instruction was seen, but in {} sample{}: {}", samples,
                                                 samples == 1 ? "" : "s", how_to_get_enough(samples))};
  return {ProgramVerdict::consistent,
          fmt::format("no AES instruction was seen in {} samples: with 95 % confidence, less "
                      "than {:.0f} % of the time",
                      samples, 100 * most_unseen(samples) + 0.5)};
}

Judged opposite(Judged judged) {
  if (judged.verdict == ProgramVerdict::consistent) judged.verdict = ProgramVerdict::refuted;
  return judged;
}

Judged judge_kernel(const TracedRun& run) {
  if (run.traffic.crossings() != 0) return {ProgramVerdict::proven, kernel_aes(run.traffic)};
  if (!sees_all_calls(run)) return {ProgramVerdict::unknown, "not all system calls could be seen"};
  return {ProgramVerdict::refuted, "it had the kernel do no AES"};
}

}  // namespace

const std::vector<std::string_view>& known_claims() {
  static const std::vector<std::string_view> claims{"aes", "aes.xmm", "vaes.ymm", "vaes.zmm", "kernel", "none"};
  return claims;
}

Judged judge_claim(std::string_view claim, const ProgramAnswer& answer, const TracedRun& run) {
  if (claim == "kernel") return judge_kernel(run);
  const auto blocks = blocks_by_unit(run, claim != "none");
  const auto most =
      std::max_element(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (claim == "none") {
    if (most != blocks.end()) return {ProgramVerdict::refuted, answer.found};
    const Judged kernel = judge_kernel(run);
    if (kernel.verdict == ProgramVerdict::proven) return {ProgramVerdict::refuted, kernel.why};
    return kernel.verdict == ProgramVerdict::unknown ? kernel : unseen(run);
  }
  if (most == blocks.end()) {
    if (!blocks_by_unit(run, false).empty()) return {ProgramVerdict::unknown, answer.found};
    return opposite(unseen(run));
  }
  if (claim == "aes" || most->first == claim) return {ProgramVerdict::proven, answer.found};
  return {ProgramVerdict::refuted, fmt::format("most of its blocks went through {}", most->first)};
}

}  // namespace aesgate::witness
