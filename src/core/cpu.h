#pragma once

#include <cstddef>

namespace aesgate {

// An ISA file includes this header, so nothing in it is inline code (see backends/register.h).

/// What a CPU may have and a backend may need. A feature counts as present when CPUID says so and,
/// where it has registers of its own, the operating system keeps them (XCR0); and unless it is hidden
/// (cpu_mask.h), which shows what happens on a CPU that lacks it.
enum class Feature { ssse3, sse41, aes, avx, avx2, vaes, gfni, avx512 };
inline constexpr Feature all_features[] = {Feature::ssse3, Feature::sse41, Feature::aes,  Feature::avx,
                                           Feature::avx2,  Feature::vaes,  Feature::gfni, Feature::avx512};

/// "ssse3", "sse41", …
[[nodiscard]] const char* name(Feature feature);
[[nodiscard]] bool has(Feature feature);

/// Why this CPU lacks a feature, in words: "CPUID.1:ECX[25] AES is not set". Empty if it has it.
[[nodiscard]] const char* why_not(Feature feature);

/// probe() of a backend that needs `count` features: AESGATE_OK, or AESGATE_UNAVAILABLE and why, cut to
/// `size`.
[[nodiscard]] int probe_features(const Feature* features, std::size_t count, char* reason, std::size_t size);

}  // namespace aesgate
