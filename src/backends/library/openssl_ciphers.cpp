#define OPENSSL_SUPPRESS_DEPRECATED  // engines, which are still in use
#include "backends/library/openssl_ciphers.h"

#include <openssl/core_names.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <memory>
#include <string_view>

namespace aesgate::library {
namespace {

constexpr std::array mode_names{"ECB", "CBC", "CFB1", "CFB8", "CFB", "OFB"};

/// OpenSSL's words for the first error since the last call of this, which is the cause of those that follow it.
std::string first_error() {
  const char* data = nullptr;
  int flags = 0;
  const unsigned long code = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags);
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  std::string text = reason == nullptr ? "no reason given" : reason;
  if ((flags & ERR_TXT_STRING) != 0 && data != nullptr && *data != '\0') text += fmt::format(" ({})", data);
  ERR_clear_error();
  return text;
}

std::string why_no_key(const OpensslCiphers& source, const EVP_CIPHER* cipher) {
  constexpr unsigned char zeros[EVP_MAX_KEY_LENGTH]{};
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> c(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  if (c != nullptr && EVP_CipherInit_ex(c.get(), cipher, source.engine, zeros, zeros, 1) == 1) return {};
  return fmt::format("it takes no key for {}: {}", EVP_CIPHER_get0_name(cipher), first_error());
}

bool tells_chaining_value(const EVP_CIPHER* cipher) {
  if (EVP_CIPHER_get0_provider(cipher) == nullptr) return true;  // an engine's: they are fields of the context
  const OSSL_PARAM* params = EVP_CIPHER_gettable_ctx_params(cipher);
  return params != nullptr && OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_UPDATED_IV) != nullptr &&
         OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_NUM) != nullptr;
}

/// Fills in what `find`, of an OpenSSL name, finds; false if that is nothing.
template <typename Find>
bool collect(OpensslCiphers& source, const Find& find) {
  bool found = false;
  for (std::size_t mode = 0; mode < mode_names.size(); ++mode) {
    for (std::size_t size = 0; size < 3; ++size) {
      const EVP_CIPHER* cipher = find(fmt::format("AES-{}-{}", 128 + 64 * size, mode_names[mode]).c_str());
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

}  // namespace

OpensslCiphers openssl_default_ciphers() {
  OpensslCiphers source;
  if (!collect(source, [](const char* name) { return EVP_CIPHER_fetch(nullptr, name, nullptr); }))
    source.why_unavailable = "OpenSSL has no AES as it is configured here: look at openssl.cnf and OPENSSL_CONF";
  return source;
}

#ifdef OPENSSL_NO_ENGINE

Result<OpensslCiphers> openssl_engine_ciphers(const std::string& id) {
  return error("engine {}: this OpenSSL was built without engines; name a provider", id);
}

#else

Result<OpensslCiphers> openssl_engine_ciphers(const std::string& id) {
  ENGINE_load_builtin_engines();
  ENGINE* engine = ENGINE_by_id(id.c_str());
  if (engine == nullptr) return error("OpenSSL cannot load the engine {}: {}", id, first_error());
  const bool usable = ENGINE_init(engine) == 1;
  ENGINE_free(engine);  // the structural reference; the functional one of ENGINE_init() stays
  if (!usable) return error("OpenSSL's engine {} says that it cannot work here: {}", id, first_error());
  OpensslCiphers source;
  source.engine = engine;
  const bool found = ENGINE_get_ciphers(engine) != nullptr &&
                     collect(source, [&](const char* name) { return ENGINE_get_cipher(engine, OBJ_sn2nid(name)); });
  if (found) return source;
  ENGINE_finish(engine);
  return error("OpenSSL's engine {} has no AES in any of the modes", id);
}

#endif

Result<OpensslCiphers> openssl_provider_ciphers(const std::string& provider_name) {
  // A library context of its own, with nothing else in it that could stand in for the provider.
  OSSL_LIB_CTX* context = OSSL_LIB_CTX_new();
  if (context == nullptr) return error("OpenSSL makes no library context: {}", first_error());
  if (OSSL_PROVIDER_load(context, provider_name.c_str()) == nullptr) {
    const std::string why = first_error();
    OSSL_LIB_CTX_free(context);
    return error("OpenSSL cannot load the provider {}: {}", provider_name, why);
  }
  OpensslCiphers source;
  if (collect(source, [&](const char* name) { return EVP_CIPHER_fetch(context, name, nullptr); })) return source;
  OSSL_LIB_CTX_free(context);  // and with it the provider
  return error("OpenSSL's provider {} has no AES in any of the modes", provider_name);
}

}  // namespace aesgate::library
