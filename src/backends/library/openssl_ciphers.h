#pragma once

// Where the AES of the openssl backend comes from; for openssl.cpp and its test.

#define OPENSSL_SUPPRESS_DEPRECATED  // engines, which are still in use

#include <openssl/core_names.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

namespace detail {

inline constexpr std::array openssl_mode_names{"ECB", "CBC", "CFB1", "CFB8", "CFB", "OFB"};

inline std::string openssl_name(const char* mode, int key_bits) { return fmt::format("AES-{}-{}", key_bits, mode); }

/// OpenSSL's words for the first error since the last call of this, which is the cause of those that follow it.
inline std::string openssl_error() {
  const char* data = nullptr;
  int flags = 0;
  const unsigned long code = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags);
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  std::string text =
      reason == nullptr ? "it gives no reason; its device or kernel interface may be missing here" : reason;
  if ((flags & ERR_TXT_STRING) != 0 && data != nullptr && *data != '\0') text += fmt::format(" ({})", data);
  ERR_clear_error();
  return text;
}

inline std::string why_no_key(const OpensslCiphers& source, const EVP_CIPHER* cipher) {
  constexpr unsigned char zeros[EVP_MAX_KEY_LENGTH]{};
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> c(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  if (c != nullptr && EVP_CipherInit_ex(c.get(), cipher, source.engine, zeros, zeros, 1) == 1) return {};
  return fmt::format("it takes no key for {}: {}", EVP_CIPHER_get0_name(cipher), openssl_error());
}

inline bool tells_chaining_value(const EVP_CIPHER* cipher) {
  if (EVP_CIPHER_get0_provider(cipher) == nullptr) return true;  // an engine's: they are fields of the context
  const OSSL_PARAM* params = EVP_CIPHER_gettable_ctx_params(cipher);
  return params != nullptr && OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_UPDATED_IV) != nullptr &&
         OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_NUM) != nullptr;
}

/// Fills in what `find`, of an OpenSSL name, finds; false if that is nothing.
template <typename Find>
bool collect(OpensslCiphers& source, const Find& find) {
  bool found = false;
  for (std::size_t mode = 0; mode < openssl_mode_names.size(); ++mode) {
    for (std::size_t size = 0; size < 3; ++size) {
      const EVP_CIPHER* cipher =
          find(openssl_name(openssl_mode_names[mode], 128 + 64 * static_cast<int>(size)).c_str());
      source.ciphers[mode][size] = cipher;
      if (cipher == nullptr) continue;
      if (!found) source.why_unavailable = why_no_key(source, cipher);
      found = true;
      source.tells_chaining_value = source.tells_chaining_value && tells_chaining_value(cipher);
    }
  }
  ERR_clear_error();
  return found;
}

}  // namespace detail

/// OpenSSL's default library context, with what openssl.cnf makes of it.
[[nodiscard]] inline OpensslCiphers openssl_default_ciphers() {
  OpensslCiphers source;
  if (!detail::collect(source, [](const char* name) { return EVP_CIPHER_fetch(nullptr, name, nullptr); }))
    source.why_unavailable = "OpenSSL has no AES as it is configured here: look at openssl.cnf and OPENSSL_CONF";
  return source;
}

// Of one engine or provider and of no other: what it does not have is null, and nothing stands in for it. An Error if
// it cannot be loaded or has no AES.

#ifdef OPENSSL_NO_ENGINE

namespace detail {
inline std::vector<ENGINE*> serving_engines() { return {}; }
}  // namespace detail

[[nodiscard]] inline Result<OpensslCiphers> openssl_engine_ciphers(const std::string& id) {
  return error("engine {}: this OpenSSL was built without engines; name a provider", id);
}

#else

namespace detail {

/// The engine that OpenSSL would use by itself for each of the ciphers.
inline std::vector<ENGINE*> serving_engines() {
  std::vector<ENGINE*> engines;
  for (const char* mode : openssl_mode_names) {
    for (const int bits : {128, 192, 256}) {
      engines.push_back(ENGINE_get_cipher_engine(OBJ_sn2nid(openssl_name(mode, bits).c_str())));
      if (engines.back() != nullptr) ENGINE_finish(engines.back());
    }
  }
  return engines;
}

/// ENGINE_by_id() without its side effect (OpenSSL 3.0): it registers the engines that it finds listed, and from then
/// on they do the work for whoever names no engine. The other backends of OpenSSL must stay what they were.
inline ENGINE* engine_by_id(const std::string& id) {
  const std::vector<ENGINE*> before = serving_engines();
  ENGINE* found = ENGINE_by_id(id.c_str());
  for (std::vector<ENGINE*> now = serving_engines(); now != before; now = serving_engines()) {
    const auto [was, is] = std::ranges::mismatch(before, now);
    if (*is == nullptr) break;
    ENGINE_unregister_ciphers(*is);
  }
  return found;
}

}  // namespace detail

[[nodiscard]] inline Result<OpensslCiphers> openssl_engine_ciphers(const std::string& id) {
  ENGINE* engine = detail::engine_by_id(id);
  if (engine == nullptr) return error("OpenSSL cannot load the engine {}: {}", id, detail::openssl_error());
  const bool usable = ENGINE_init(engine) == 1;
  ENGINE_free(engine);  // the structural reference; the functional one of ENGINE_init() stays
  if (!usable) return error("OpenSSL's engine {} says that it cannot work here: {}", id, detail::openssl_error());
  OpensslCiphers source;
  source.engine = engine;
  const bool found = ENGINE_get_ciphers(engine) != nullptr && detail::collect(source, [&](const char* name) {
                       return ENGINE_get_cipher(engine, OBJ_sn2nid(name));
                     });
  if (found) return source;
  ENGINE_finish(engine);
  return error("OpenSSL's engine {} has no AES in any of the modes", id);
}

#endif

[[nodiscard]] inline Result<OpensslCiphers> openssl_provider_ciphers(const std::string& provider_name) {
  // An engine that openssl.cnf gives AES to would do the work in all library contexts (OpenSSL 3.0).
  for (const ENGINE* engine : detail::serving_engines())
    if (engine != nullptr)
      return error("an engine has AES in this OpenSSL, look at openssl.cnf: it would stand in for the provider {}",
                   provider_name);
  // And a library context of its own has no other provider in it.
  OSSL_LIB_CTX* context = OSSL_LIB_CTX_new();
  if (context == nullptr) return error("OpenSSL makes no library context: {}", detail::openssl_error());
  OSSL_PROVIDER* provider = OSSL_PROVIDER_load(context, provider_name.c_str());
  if (provider == nullptr) {
    const std::string why = detail::openssl_error();
    OSSL_LIB_CTX_free(context);
    return error("OpenSSL cannot load the provider {}: {}", provider_name, why);
  }
  OpensslCiphers source;
  if (detail::collect(source, [&](const char* name) { return EVP_CIPHER_fetch(context, name, nullptr); }))
    return source;
  OSSL_PROVIDER_unload(provider);
  OSSL_LIB_CTX_free(context);
  return error("OpenSSL's provider {} has no AES in any of the modes", provider_name);
}

}  // namespace aesgate::library
