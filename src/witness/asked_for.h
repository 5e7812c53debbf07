#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aesgate::witness {

/// AskedAlgorithm: AES as an argument names it: "-aes-256-cbc", "AES-128-XTS", "aes128".
struct AskedAlgorithm {
  unsigned key_bits = 0;  // 0: it does not say
  std::string mode;       // "CBC"; empty: it does not say
  [[nodiscard]] std::string name() const;
  friend bool operator==(const AskedAlgorithm&, const AskedAlgorithm&) = default;
};

/// The algorithm that one argument is; nothing if it is something else.
[[nodiscard]] std::optional<AskedAlgorithm> asked_algorithm(std::string_view argument);

/// AskedFor: what command lines ask for, each once and in their order.
struct AskedFor {
  std::vector<AskedAlgorithm> algorithms;
  std::vector<std::string> engines, providers;  // of -engine NAME and -provider NAME
};
[[nodiscard]] AskedFor asked_for(const std::vector<std::vector<std::string>>& commands);

}  // namespace aesgate::witness
