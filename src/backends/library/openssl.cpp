#include "backends/library/openssl_ciphers.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "backends/library/library_backend.h"
#include "core/text_file.h"

// OpenSSL 3: EVP, without padding, by EVP_CipherUpdate(), which is what applications call. Options, separated by
// commas:
//
//     call=cipher      EVP_Cipher() instead, which skips what EVP_CipherUpdate() does before and after the mode; that
//                      saves a tenth of a 16-byte call in ECB and CBC decryption, and nothing that shows elsewhere
//     engine=ID        the ciphers of that engine alone; what it does not have is unsupported
//     provider=NAME    the ciphers of that provider alone
//
// A variant's name is "openssl", then "-engine-ID" or "-provider-NAME", then "-cipher" for those options that are
// given, in lower case and with "_" for what a name cannot have; "-2" and so on where two would have the same.
namespace aesgate::library {
namespace {

const OpensslCiphers& ciphers_of(const aesgate_backend& backend) {
  if (backend.data != nullptr) return *static_cast<const OpensslCiphers*>(backend.data);
  static const OpensslCiphers ciphers = openssl_default_ciphers();
  return ciphers;
}

template <bool CallsCipher>
struct Context {
  EVP_CIPHER_CTX* evp = nullptr;
  std::uint32_t mode = AESGATE_ECB;

  ~Context() { EVP_CIPHER_CTX_free(evp); }  // takes null, and wipes

  static const aesgate_backend* configure(const aesgate_backend* self, const char* options, char* reason,
                                          std::size_t size);
  static int probe(const aesgate_backend* self, char* reason, std::size_t size);
  static aesgate_update_fn update_for(const aesgate_backend& self, const aesgate_shape& shape);
  int start(const aesgate_backend& self, const aesgate_shape& shape, const std::uint8_t* key, const std::uint8_t* iv);
  int restart(const std::uint8_t* iv);
  int chaining_value(std::uint8_t* iv) const;
};

// One call of OpenSSL, which counts in int.
template <bool CallsCipher>
bool call(EVP_CIPHER_CTX* evp, const std::uint8_t* in, std::uint8_t* out, int length) {
  if constexpr (CallsCipher) {
    // The length for a provider's cipher, 1 for most of an engine's; 0 and less are errors.
    return EVP_Cipher(evp, out, in, static_cast<unsigned>(length)) > 0;
  } else {
    int done = 0;
    return EVP_CipherUpdate(evp, out, &done, in, length) == 1 && done == length;
  }
}

template <bool CallsCipher, std::size_t UnitsPerByte>
bool process(Context<CallsCipher>& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  constexpr std::size_t most = std::size_t{1} << 30;
  while (length > most) {
    if (!call<CallsCipher>(c.evp, in, out, static_cast<int>(most))) return false;
    in += most / UnitsPerByte;
    out += most / UnitsPerByte;
    length -= most;
  }
  return call<CallsCipher>(c.evp, in, out, static_cast<int>(length));
}

template <bool CallsCipher>
int Context<CallsCipher>::probe(const aesgate_backend* self, char* reason, std::size_t size) {
  const std::string& why = ciphers_of(*self).why_unavailable;
  if (why.empty()) return AESGATE_OK;
  std::snprintf(reason, size, "%s", why.c_str());
  return AESGATE_UNAVAILABLE;
}

template <bool CallsCipher>
aesgate_update_fn Context<CallsCipher>::update_for(const aesgate_backend& self, const aesgate_shape& shape) {
  if (ciphers_of(self).find(shape.mode, shape.key_bits) == nullptr) return nullptr;
  switch (shape.mode) {
    case AESGATE_ECB:
    case AESGATE_CBC: return update_blocks<Context, process<CallsCipher, 1>>;
    case AESGATE_CFB1: return update_any<Context, process<CallsCipher, 8>>;
    default: return update_any<Context, process<CallsCipher, 1>>;
  }
}

template <bool CallsCipher>
int Context<CallsCipher>::start(const aesgate_backend& self, const aesgate_shape& shape, const std::uint8_t* key,
                                const std::uint8_t* iv) {
  const OpensslCiphers& source = ciphers_of(self);
  mode = shape.mode;
  evp = EVP_CIPHER_CTX_new();
  if (evp == nullptr) return AESGATE_FAILED;
  if (EVP_CipherInit_ex(evp, source.find(shape.mode, shape.key_bits), source.engine, key,
                        mode == AESGATE_ECB ? nullptr : iv, shape.direction == AESGATE_ENCRYPT) != 1)
    return AESGATE_FAILED;
  if (mode == AESGATE_ECB || mode == AESGATE_CBC) EVP_CIPHER_CTX_set_padding(evp, 0);
  if (mode == AESGATE_CFB1) EVP_CIPHER_CTX_set_flags(evp, EVP_CIPH_FLAG_LENGTH_BITS);
  return AESGATE_OK;
}

template <bool CallsCipher>
int Context<CallsCipher>::restart(const std::uint8_t* iv) {
  if (mode == AESGATE_ECB) return AESGATE_OK;
  return EVP_CipherInit_ex(evp, nullptr, nullptr, nullptr, iv, -1) == 1 ? AESGATE_OK : AESGATE_FAILED;
}

template <bool CallsCipher>
int Context<CallsCipher>::chaining_value(std::uint8_t* iv) const {
  if (mode == AESGATE_ECB) return AESGATE_UNSUPPORTED;
  if ((mode == AESGATE_CFB128 || mode == AESGATE_OFB) && EVP_CIPHER_CTX_get_num(evp) != 0) return AESGATE_UNSUPPORTED;
  if (EVP_CIPHER_get0_provider(EVP_CIPHER_CTX_get0_cipher(evp)) != nullptr)
    return EVP_CIPHER_CTX_get_updated_iv(evp, iv, block_bytes) == 1 ? AESGATE_OK : AESGATE_FAILED;
  std::memcpy(iv, EVP_CIPHER_CTX_iv(evp), block_bytes);  // an engine's, for which the former always fails
  return AESGATE_OK;
}

struct Options {
  std::string engine, provider;
  bool calls_cipher = false;

  friend auto operator<=>(const Options&, const Options&) = default;
};

Result<Options> parse(std::string_view text) {
  Options options;
  for (const std::string_view part : split(text, ',')) {
    const auto field = split_field(part);
    if (field && field->name == "engine" && !field->value.empty())
      options.engine = field->value;
    else if (field && field->name == "provider" && !field->value.empty())
      options.provider = field->value;
    else if (field && field->name == "call" && field->value == "cipher")
      options.calls_cipher = true;
    else
      return error("unknown option \"{}\"; known: engine=ID, provider=NAME, call=cipher", excerpt(part));
  }
  if (!options.engine.empty() && !options.provider.empty())
    return error("an engine and a provider do not go together: name one");
  return options;
}

std::string name_for(const Options& options) {
  std::string name = "openssl";
  if (!options.engine.empty()) name += "-engine-" + options.engine;
  if (!options.provider.empty()) name += "-provider-" + options.provider;
  if (options.calls_cipher) name += "-cipher";
  for (char& c : name) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::string_view("abcdefghijklmnopqrstuvwxyz0123456789_-").find(c) == std::string_view::npos) c = '_';
  }
  return name;
}

struct Variant {
  std::string name, description;
  OpensslCiphers ciphers;
  aesgate_backend backend;
};

/// What cannot be loaded is unavailable here, which is no mistake in the options.
OpensslCiphers load(const Options& options) {
  Result<OpensslCiphers> ciphers = !options.engine.empty()     ? openssl_engine_ciphers(options.engine)
                                   : !options.provider.empty() ? openssl_provider_ciphers(options.provider)
                                                               : openssl_default_ciphers();
  if (ciphers) return *std::move(ciphers);
  OpensslCiphers none;
  none.why_unavailable = ciphers.error().message;
  return none;
}

std::unique_ptr<Variant> make_variant(const Options& options) {
  auto variant = std::make_unique<Variant>();
  variant->name = name_for(options);
  variant->description =
      fmt::format("OpenSSL: {}{}{}{}{}", options.calls_cipher ? "EVP_Cipher()" : "EVP_CipherUpdate()",
                  options.engine.empty() ? "" : ", engine ", options.engine,
                  options.provider.empty() ? "" : ", provider ", options.provider);
  variant->ciphers = load(options);
  const char* name = variant->name.c_str();
  const char* description = variant->description.c_str();
  variant->backend = options.calls_cipher ? library_backend<Context<true>>(name, description)
                                          : library_backend<Context<false>>(name, description);
  variant->backend.data = &variant->ciphers;
  variant->backend.configure = nullptr;  // a variant has no variants
  if (!variant->ciphers.tells_chaining_value) variant->backend.chaining_value = nullptr;
  return variant;
}

// The same options give the same variant; one that was unavailable is tried again.
const aesgate_backend* find_variant(const Options& options) {
  static std::mutex mutex;
  static auto& variants = *new std::map<Options, std::unique_ptr<Variant>>;  // until the process ends, and not less
  const std::lock_guard lock(mutex);
  if (const auto found = variants.find(options); found != variants.end()) {
    if (!found->second->ciphers.why_unavailable.empty()) found->second->ciphers = load(options);
    return &found->second->backend;
  }
  std::unique_ptr<Variant> made = make_variant(options);
  Variant& variant = *made;
  const std::string wanted = variant.name;
  const auto taken = [&](const auto& other) { return other.second->name == variant.name; };
  for (int n = 2; std::ranges::any_of(variants, taken); ++n) variant.name = fmt::format("{}-{}", wanted, n);
  variant.backend.name = variant.name.c_str();
  variants.emplace(options, std::move(made));
  return &variant.backend;
}

template <bool CallsCipher>
const aesgate_backend* Context<CallsCipher>::configure(const aesgate_backend*, const char* text, char* reason,
                                                       std::size_t size) {
  try {
    const Result<Options> options = parse(text);
    if (options) return find_variant(*options);
    std::snprintf(reason, size, "%s", options.error().message.c_str());
  } catch (...) {
    std::snprintf(reason, size, "out of memory");
  }
  return nullptr;
}

constexpr aesgate_backend backend = library_backend<Context<false>>("openssl", "OpenSSL: EVP_CipherUpdate()");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate::library
