#include <mbedtls/aes.h>

#include <cstring>

#include "backends/library/library_backend.h"

// Mbed TLS: the functions of aes.h. Its ECB takes one block a call, so the loop over blocks is here; it has no CFB1.
// Its modes keep the caller's IV and the offset in the block up to date, so the backend tells the chaining value.
namespace aesgate::library {
namespace {

struct Context {
  mbedtls_aes_context aes;
  unsigned char chain[block_bytes];
  std::size_t used = 0;  // bytes of a CFB128 or OFB block that are done
  std::uint32_t mode = AESGATE_ECB;

  Context() noexcept { mbedtls_aes_init(&aes); }
  ~Context() { mbedtls_aes_free(&aes); }

  static aesgate_update_fn update_for(const aesgate_backend& self, const aesgate_shape& shape);
  int start(const aesgate_backend& self, const aesgate_shape& shape, const std::uint8_t* key, const std::uint8_t* iv);
  int restart(const std::uint8_t* iv);
  int chaining_value(std::uint8_t* iv) const;
};

template <int Direction>
bool ecb(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  for (std::size_t at = 0; at < length; at += block_bytes)
    if (mbedtls_aes_crypt_ecb(&c.aes, Direction, in + at, out + at) != 0) return false;
  return true;
}

#ifdef MBEDTLS_CIPHER_MODE_CBC
template <int Direction>
bool cbc(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  return mbedtls_aes_crypt_cbc(&c.aes, Direction, length, c.chain, in, out) == 0;
}
#endif

#ifdef MBEDTLS_CIPHER_MODE_CFB
template <int Direction>
bool cfb8(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  return mbedtls_aes_crypt_cfb8(&c.aes, Direction, length, c.chain, in, out) == 0;
}

template <int Direction>
bool cfb128(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  return mbedtls_aes_crypt_cfb128(&c.aes, Direction, length, &c.used, c.chain, in, out) == 0;
}
#endif

#ifdef MBEDTLS_CIPHER_MODE_OFB
bool ofb(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  return mbedtls_aes_crypt_ofb(&c.aes, length, &c.used, c.chain, in, out) == 0;
}
#endif

template <int Direction>
aesgate_update_fn update_for_mode(std::uint32_t mode) {
  switch (mode) {
    case AESGATE_ECB: return update_blocks<Context, ecb<Direction>>;
#ifdef MBEDTLS_CIPHER_MODE_CBC
    case AESGATE_CBC: return update_blocks<Context, cbc<Direction>>;
#endif
#ifdef MBEDTLS_CIPHER_MODE_CFB
    case AESGATE_CFB8: return update_any<Context, cfb8<Direction>>;
    case AESGATE_CFB128: return update_any<Context, cfb128<Direction>>;
#endif
#ifdef MBEDTLS_CIPHER_MODE_OFB
    case AESGATE_OFB: return update_any<Context, ofb>;
#endif
    default: return nullptr;
  }
}

aesgate_update_fn Context::update_for(const aesgate_backend&, const aesgate_shape& shape) {
  return shape.direction == AESGATE_ENCRYPT ? update_for_mode<MBEDTLS_AES_ENCRYPT>(shape.mode)
                                            : update_for_mode<MBEDTLS_AES_DECRYPT>(shape.mode);
}

int Context::start(const aesgate_backend&, const aesgate_shape& shape, const std::uint8_t* key,
                   const std::uint8_t* iv) {
  mode = shape.mode;
  const int error = needs_inverse_cipher(shape) ? mbedtls_aes_setkey_dec(&aes, key, shape.key_bits)
                                                : mbedtls_aes_setkey_enc(&aes, key, shape.key_bits);
  return error == 0 ? restart(iv) : AESGATE_FAILED;
}

int Context::restart(const std::uint8_t* iv) {
  used = 0;
  if (mode != AESGATE_ECB) std::memcpy(chain, iv, block_bytes);
  return AESGATE_OK;
}

int Context::chaining_value(std::uint8_t* iv) const {
  if (mode == AESGATE_ECB || used != 0) return AESGATE_UNSUPPORTED;
  std::memcpy(iv, chain, block_bytes);
  return AESGATE_OK;
}

constexpr aesgate_backend backend = library_backend<Context>("mbedtls", "Mbed TLS: mbedtls_aes_crypt_*()");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate::library
