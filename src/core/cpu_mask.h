#pragma once

#include <bitset>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "core/cpu.h"
#include "core/result.h"

namespace aesgate {

/// CpuMask: features of the CPU that are hidden, to see what runs on one that lacks them: from aesgate's own choice of
/// code, and from the libraries that can be told (cpu_mask_libraries.h).
///
/// Hiding a feature hides what no CPU has without it: `ssse3` hides all others; `sse41` hides `aes`, `avx`, `gfni` and
/// what these hide; `aes` hides `vaes`; `avx` hides `avx2` and `vaes`; `avx2` hides `avx512` (and `vaes`, whose
/// backends are AVX2 or AVX-512 code). SSE2 is part of x86-64 and cannot be hidden.
class CpuMask {
 public:
  CpuMask() = default;

  /// The mask of "avx512,vaes": names of all_features between commas; empty hides nothing. An Error names the word that
  /// is no feature.
  [[nodiscard]] static Result<CpuMask> parse(std::string_view text);

  [[nodiscard]] bool hides(Feature feature) const { return hidden_[static_cast<std::size_t>(feature)]; }
  [[nodiscard]] bool hides_nothing() const { return hidden_.none(); }

  /// What was asked for: the words of parse(), without blanks.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::bitset<std::size(all_features)> hidden_;
  std::string text_;
};

/// The environment's variable of the mask, where the processes that this one starts find it, too.
inline constexpr const char* cpu_mask_variable = "AESGATE_CPU_MASK";

/// The mask of this process: what AESGATE_CPU_MASK said when somebody first asked. A text that is no mask hides
/// nothing: start_with_cpu_mask() has refused it.
[[nodiscard]] const CpuMask& cpu_mask();

/// Puts the mask into effect that `text` stands for, or AESGATE_CPU_MASK. Libraries look at their
/// variables when they are loaded, before main(), so where one of these does not have the value that the mask gives it,
/// they are set and the program starts again with its arguments, `argv`: call this early in main(), before anything was
/// printed or any thread was started. Returns if there is nothing to hide or everything is as it should be already; an
/// Error if the text is no mask, if a variable of a library has a value that is not this program's own, which would be
/// lost, or if the program cannot start again. A `text` that is empty hides nothing; without one, AESGATE_CPU_MASK is
/// it.
[[nodiscard]] Result<void> start_with_cpu_mask(char* const* argv, std::optional<std::string_view> text = {});

}  // namespace aesgate
