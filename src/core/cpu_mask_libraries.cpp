#include "core/cpu_mask_libraries.h"

#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace aesgate {
namespace {

/// OpenSSL's vector of capabilities: CPUID.1 EDX and ECX, then CPUID.7 EBX and ECX, the first of each in the low half.
struct Ia32Cap {
  std::uint64_t leaf1 = 0;
  std::uint64_t leaf7 = 0;
};

constexpr std::uint64_t bit(unsigned number) { return std::uint64_t{1} << number; }
constexpr std::uint64_t high_bit(unsigned number) { return bit(32 + number); }

Ia32Cap ia32cap(const CpuMask& mask) {
  Ia32Cap cap;
  const auto hide = [&](Feature feature, std::uint64_t leaf1, std::uint64_t leaf7) {
    if (!mask.hides(feature)) return;
    cap.leaf1 |= leaf1;
    cap.leaf7 |= leaf7;
  };
  using enum Feature;
  hide(ssse3, high_bit(9), 0);
  hide(sse41, high_bit(19), 0);
  hide(aes, high_bit(25), 0);
  hide(avx, high_bit(28) | high_bit(12) | high_bit(11), 0);  // with FMA, and AMD's XOP, for which OpenSSL has bit 11
  hide(avx2, 0, bit(5));
  hide(vaes, 0, high_bit(9) | high_bit(10));  // with VPCLMULQDQ: OpenSSL asks for both together, or for one only
  hide(gfni, 0, high_bit(8));
  hide(avx512, 0, bit(16) | bit(17) | bit(21) | bit(30) | bit(31) | high_bit(1));  // F, DQ, IFMA, BW, VL, VBMI
  return cap;
}

std::string openssl_value(const CpuMask& mask) {
  const Ia32Cap cap = ia32cap(mask);
  return fmt::format("~{:#x}:~{:#x}", cap.leaf1, cap.leaf7);
}

/// A word of one library for a feature.
struct Word {
  Feature feature;
  const char* word;
};

template <std::size_t n>
std::vector<const char*> hidden_words(const CpuMask& mask, const Word (&words)[n]) {
  std::vector<const char*> hidden;
  for (const Word& word : words)
    if (mask.hides(word.feature)) hidden.push_back(word.word);
  return hidden;
}

/// Nettle takes what is in the variable for all that the CPU has. Only its AES is of interest here; the vendor stays,
/// since it goes by it in more than this.
std::string nettle_value() {
  std::string_view vendor = "other";
#if defined(__x86_64__) || defined(__i386__)
  std::array<unsigned, 4> r{};
  if (__get_cpuid(0, &r[0], &r[1], &r[2], &r[3]) != 0) {
    if (r[1] == signature_INTEL_ebx) vendor = "intel";
    if (r[1] == signature_AMD_ebx) vendor = "amd";
  }
#endif
  return fmt::format("vendor:{}", vendor);
}

}  // namespace

std::vector<Variable> variables_of_libraries(const CpuMask& mask) {
  if (mask.hides_nothing()) return {};
  std::vector<Variable> variables{{"OPENSSL_ia32cap", openssl_value(mask)}};
  if (const auto words = botan_features(mask); !words.empty())
    variables.push_back({"BOTAN_CLEAR_CPUID", fmt::format("{}", fmt::join(words, ","))});
  if (mask.hides(Feature::aes)) variables.push_back({"NETTLE_FAT_OVERRIDE", nettle_value()});
  return variables;
}

/// A word that a version of Botan does not know is nothing to it.
std::vector<const char*> botan_features(const CpuMask& mask) {
  using enum Feature;
  static constexpr Word words[] = {{ssse3, "ssse3"},
                                   {sse41, "sse41"},
                                   {aes, "aesni"},
                                   {aes, "aes_ni"},
                                   {avx2, "avx2"},
                                   {vaes, "avx512_aes"},
                                   {vaes, "avx2_vaes"},
                                   {gfni, "gfni"},
                                   {avx512, "avx512f"},
                                   {avx512, "avx512"},
                                   {avx512, "avx512dq"},
                                   {avx512, "avx512bw"},
                                   {avx512, "avx512_icelake"},
                                   {avx512, "avx512_clmul"}};
  return hidden_words(mask, words);
}

std::vector<const char*> libgcrypt_features(const CpuMask& mask) {
  using enum Feature;
  static constexpr Word words[] = {{ssse3, "intel-ssse3"}, {sse41, "intel-sse4.1"}, {aes, "intel-aesni"},
                                   {avx, "intel-avx"},     {avx2, "intel-avx2"},    {vaes, "intel-vaes-vpclmul"},
                                   {gfni, "intel-gfni"},   {avx512, "intel-avx512"}};
  return hidden_words(mask, words);
}

}  // namespace aesgate
