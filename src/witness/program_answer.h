#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "witness/asked_for.h"
#include "witness/enough_samples.h"
#include "witness/round_count.h"
#include "witness/traced_program.h"

namespace aesgate::witness {

/// ProgramVerdict: how sure an answer is.
enum class ProgramVerdict {
  proven,      // it was seen
  refuted,     // of a claim: something else was seen, or enough to say that it is not so
  consistent,  // what was seen fits, and something else would fit, too
  unknown      // too little was seen
};
[[nodiscard]] std::string_view word(ProgramVerdict verdict);

/// AesUse: what one library or program did of AES.
struct AesUse {
  std::string object;  // "libcrypto.so.3"
  std::string path;
  bool stripped = false;                  // it has no symbol table
  std::vector<std::string> functions;     // as far as symbols cover them
  std::vector<std::string> instructions;  // "AESENC (xmm)", those that do the most first
  std::string unit;                       // that did the most: "aes.xmm"
  std::vector<Rounds> rounds;             // the most frequent first
  std::uint64_t samples = 0, executed = 0;
  std::uint64_t cipher_samples = 0;  // that saw a cipher's rounds, and not a hash's or a key schedule's alone

  /// Is it known to be AES, or its key set up?
  [[nodiscard]] bool is_aes() const { return unit.empty() || cipher_samples != 0; }
};

/// ProgramAnswer: what a run says about the program's AES.
struct ProgramAnswer {
  ProgramVerdict verdict = ProgramVerdict::unknown;
  std::string found;                 // which AES ran where, or why that is not known: a sentence without its full stop
  std::vector<AesUse> uses;          // on AES instructions, those with the most samples first
  std::vector<std::string> kernel;   // what the kernel was asked for, engines and providers
  std::vector<std::string> figures;  // how much was seen
  std::vector<std::string> limits;   // what could not be seen

  /// All of it in one paragraph, which begins with the verdict.
  [[nodiscard]] std::string paragraph() const;
};
[[nodiscard]] ProgramAnswer answer(const TracedRun& run);

/// Claims that a run can be held to: "aes" (AES instructions, of any width), "aes.xmm", "vaes.ymm", "vaes.zmm" (that
/// unit does most of the blocks), "kernel", "none" (none of these). AES instructions without a cipher's rounds leave
/// the first four unknown, and refute "none".
[[nodiscard]] const std::vector<std::string_view>& known_claims();

/// What became of a claim, and why.
struct Judged {
  ProgramVerdict verdict = ProgramVerdict::unknown;
  std::string why;
};
[[nodiscard]] Judged judge_claim(std::string_view claim, const ProgramAnswer& answer, const TracedRun& run);

}  // namespace aesgate::witness
