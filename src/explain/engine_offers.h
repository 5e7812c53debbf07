#pragma once

#include <string>
#include <string_view>

#include "explain/speed_run.h"

namespace aesgate::explain {

/// Offer: what an engine of OpenSSL has of AES, by the table in its source (crypto/engine/eng_cryptodev.c,
/// engines/e_afalg.c, engines/e_devcrypto.c, engines/e_padlock.c).
struct Offer {
  std::string_view engine;
  std::string_view versions;  // in words, for the report
  std::string_view modes;     // "CBC", "ECB CBC CFB128 OFB"
  bool only_128 = false;

  [[nodiscard]] bool has(const Algorithm& algorithm) const;
  /// "AES-128-CBC only", "AES in CBC".
  [[nodiscard]] std::string text() const;
  /// The name for -evp of something that it has, as near to `algorithm` as can be.
  [[nodiscard]] std::string nearest(const Algorithm& algorithm) const;
};

/// The offer of the engine that an invocation names, in its version; null where it is not known.
[[nodiscard]] const Offer* find_offer(const Invocation& invocation);

}  // namespace aesgate::explain
