#pragma once

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <string>

#include "core/result.h"

namespace aesgate::library {

/// OpensslCiphers: the AES of one source: OpenSSL as it is configured on this machine, one engine, or one provider.
/// What it refers to stays until the process ends.
struct OpensslCiphers {
  std::array<std::array<const EVP_CIPHER*, 3>, 6> ciphers{};  // by mode and key size; null where there is none
  ENGINE* engine = nullptr;
  bool tells_chaining_value = true;  // all of `ciphers` say their IV and their place in a block
  std::string why_unavailable;       // why the first of them takes no key; empty if it does

  [[nodiscard]] const EVP_CIPHER* find(std::uint32_t mode, std::uint32_t key_bits) const {
    return ciphers[mode][(key_bits - 128) / 64];
  }
};

/// OpenSSL's default library context, with what openssl.cnf makes of it.
[[nodiscard]] OpensslCiphers openssl_default_ciphers();

/// The ciphers of that source and of no other: what it does not have is null, and OpenSSL's own code does not stand in.
/// An Error if it cannot be loaded or has no AES.
[[nodiscard]] Result<OpensslCiphers> openssl_engine_ciphers(const std::string& id);
[[nodiscard]] Result<OpensslCiphers> openssl_provider_ciphers(const std::string& provider_name);

}  // namespace aesgate::library
