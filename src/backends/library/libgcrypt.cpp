#include <gcrypt.h>

#include <cstdio>

#include "backends/library/library_backend.h"
#include "core/cpu_mask_libraries.h"

// Libgcrypt: gcry_cipher_*(), which carries partial blocks itself. It has no CFB1, and does not tell the chaining
// value.
namespace aesgate::library {
namespace {

// Libgcrypt wants to be set up once by whoever uses it first. Secure memory is of no use to keys that the program
// also keeps elsewhere, and its pool is small.
bool set_up() {
  static const bool ready = [] {
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P) != 0) return true;
    // Before anything else, and a name that this version does not know is an error which changes nothing.
    for (const char* feature : libgcrypt_features(cpu_mask())) gcry_control(GCRYCTL_DISABLE_HWF, feature, nullptr);
    if (gcry_check_version(GCRYPT_VERSION) == nullptr) return false;
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    return gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0) == 0;
  }();
  return ready;
}

int library_mode(std::uint32_t mode) {
  switch (mode) {
    case AESGATE_ECB: return GCRY_CIPHER_MODE_ECB;
    case AESGATE_CBC: return GCRY_CIPHER_MODE_CBC;
    case AESGATE_CFB8: return GCRY_CIPHER_MODE_CFB8;
    case AESGATE_CFB128: return GCRY_CIPHER_MODE_CFB;
    case AESGATE_OFB: return GCRY_CIPHER_MODE_OFB;
    default: return GCRY_CIPHER_MODE_NONE;
  }
}

int library_cipher(std::uint32_t key_bits) {
  return key_bits == 128 ? GCRY_CIPHER_AES128 : key_bits == 192 ? GCRY_CIPHER_AES192 : GCRY_CIPHER_AES256;
}

struct Context {
  gcry_cipher_hd_t handle = nullptr;
  bool has_iv = false;

  ~Context() { gcry_cipher_close(handle); }  // takes null, and wipes

  static int probe(const aesgate_backend* self, char* reason, std::size_t size);
  static aesgate_update_fn update_for(const aesgate_backend& self, const aesgate_shape& shape);
  int start(const aesgate_backend& self, const aesgate_shape& shape, const std::uint8_t* key, const std::uint8_t* iv);
  int restart(const std::uint8_t* iv);
};

template <bool Encrypts>
bool process(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  return (Encrypts ? gcry_cipher_encrypt : gcry_cipher_decrypt)(c.handle, out, length, in, length) == 0;
}

int Context::probe(const aesgate_backend*, char* reason, std::size_t size) {
  if (set_up()) return AESGATE_OK;
  std::snprintf(reason, size, "libgcrypt %s is older than %s, for which aesgate was built, or refuses to be set up",
                gcry_check_version(nullptr), GCRYPT_VERSION);
  return AESGATE_UNAVAILABLE;
}

aesgate_update_fn Context::update_for(const aesgate_backend&, const aesgate_shape& shape) {
  if (library_mode(shape.mode) == GCRY_CIPHER_MODE_NONE) return nullptr;
  const bool blocks = shape.mode == AESGATE_ECB || shape.mode == AESGATE_CBC;
  if (shape.direction == AESGATE_ENCRYPT)
    return blocks ? update_blocks<Context, process<true>> : update_any<Context, process<true>>;
  return blocks ? update_blocks<Context, process<false>> : update_any<Context, process<false>>;
}

int Context::start(const aesgate_backend&, const aesgate_shape& shape, const std::uint8_t* key,
                   const std::uint8_t* iv) {
  if (!set_up()) return AESGATE_UNAVAILABLE;
  has_iv = shape.mode != AESGATE_ECB;
  if (gcry_cipher_open(&handle, library_cipher(shape.key_bits), library_mode(shape.mode), 0) != 0 ||
      gcry_cipher_setkey(handle, key, shape.key_bits / 8) != 0)
    return AESGATE_FAILED;
  return restart(iv);
}

int Context::restart(const std::uint8_t* iv) {
  if (!has_iv) return AESGATE_OK;
  return gcry_cipher_setiv(handle, iv, block_bytes) == 0 ? AESGATE_OK : AESGATE_FAILED;
}

constexpr aesgate_backend backend =
    library_backend<Context>("libgcrypt", "Libgcrypt: gcry_cipher_encrypt() and gcry_cipher_decrypt()");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate::library
