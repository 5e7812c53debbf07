#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aesgate {

/// FuzzerProgress: what a line of libFuzzer says of its progress (llvm.org/docs/LibFuzzer.html, "Output"):
/// "#2048 NEW    cov: 812 ft: 1733 corp: 301/72Kb lim: 1209 exec/s: 682 rss: 81Mb L: 310/1209 MS: 1 Custom-".
struct FuzzerProgress {
  std::uint64_t cov = 0;     // code blocks or edges reached
  std::uint64_t ft = 0;      // features: those, and how often
  std::uint64_t corpus = 0;  // inputs kept
};

/// Nothing if the line says no such thing.
[[nodiscard]] std::optional<FuzzerProgress> parse_progress(std::string_view line);

/// What a sanitizer or libFuzzer calls the end of a process, without the place in the code: "AddressSanitizer:
/// heap-buffer-overflow" of "SUMMARY: AddressSanitizer: heap-buffer-overflow file.c:3:5 in f". Nothing if the line is
/// no such summary.
[[nodiscard]] std::optional<std::string> parse_summary(std::string_view line);

}  // namespace aesgate
