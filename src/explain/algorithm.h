#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/shape.h"

namespace aesgate::explain {

/// Algorithm: what a benchmark calls by some name.
struct Algorithm {
  std::string name;  // "AES-256-CBC" if it is AES, in whatever form the text has it; else as in the text
  bool aes = false;
  unsigned key_bits = 0;  // 0 if not told
  std::string mode;       // "CBC", "CFB128", "GCM"; empty if none is named
  std::optional<Direction> direction;

  /// Does each block wait for the one before (CBC and CFB encryption, OFB)? Nothing where mode or direction is not
  /// known.
  [[nodiscard]] std::optional<bool> serial() const;
  [[nodiscard]] unsigned rounds() const { return key_bits / 32 + 6; }  // FIPS-197 section 5

  /// "AES-256-CBC encrypt".
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

/// The algorithm of a name as benchmarks write it: "aes-256 cbc", "AES-256-CBC", "AES-128/CBC/PKCS7", "AES(G) CBC(G)
/// 256", "evp". AES without a key size in the name keeps 0 bits.
[[nodiscard]] Algorithm parse_algorithm(std::string_view text);

}  // namespace aesgate::explain
