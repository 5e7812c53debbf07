#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>

#include <algorithm>
#include <cstring>

#include "backends/library/library_backend.h"

// Nettle: ECB by its block functions, which take any number of blocks; CBC, CFB8 and CFB128 by its modes. It has
// neither CFB1 nor OFB. Its functions keep the caller's IV up to date, so the backend tells the chaining value.
namespace aesgate::library {
namespace {

struct Aes128 {
  using Keys = aes128_ctx;
  static constexpr auto set_encrypt_key = aes128_set_encrypt_key;
  static constexpr auto set_decrypt_key = aes128_set_decrypt_key;
  static constexpr auto encrypt = aes128_encrypt;
  static constexpr auto decrypt = aes128_decrypt;
  static constexpr auto cbc_encrypt = cbc_aes128_encrypt;
};

struct Aes192 {
  using Keys = aes192_ctx;
  static constexpr auto set_encrypt_key = aes192_set_encrypt_key;
  static constexpr auto set_decrypt_key = aes192_set_decrypt_key;
  static constexpr auto encrypt = aes192_encrypt;
  static constexpr auto decrypt = aes192_decrypt;
  static constexpr auto cbc_encrypt = cbc_aes192_encrypt;
};

struct Aes256 {
  using Keys = aes256_ctx;
  static constexpr auto set_encrypt_key = aes256_set_encrypt_key;
  static constexpr auto set_decrypt_key = aes256_set_decrypt_key;
  static constexpr auto encrypt = aes256_encrypt;
  static constexpr auto decrypt = aes256_decrypt;
  static constexpr auto cbc_encrypt = cbc_aes256_encrypt;
};

// Nettle's generic modes take the cipher as a function of const void*, cast like this in its own macros.
template <typename Aes>
nettle_cipher_func* cipher() {
  return reinterpret_cast<nettle_cipher_func*>(Aes::encrypt);
}

template <typename Aes>
nettle_cipher_func* inverse_cipher() {
  return reinterpret_cast<nettle_cipher_func*>(Aes::decrypt);
}

struct Context {
  union {
    aes128_ctx aes128;
    aes192_ctx aes192;
    aes256_ctx aes256;
  } keys;
  std::uint8_t chain[block_bytes];  // within a CFB128 block: ciphertext, then keystream
  std::size_t used;                 // bytes of a CFB128 block that are done, 0..15
  std::uint32_t mode;

  // All are in the union at the same address.
  template <typename Aes>
  typename Aes::Keys* keys_of() {
    return reinterpret_cast<typename Aes::Keys*>(&keys);
  }

  static aesgate_update_fn update_for(const aesgate_backend& self, const aesgate_shape& shape);
  int start(const aesgate_backend& self, const aesgate_shape& shape, const std::uint8_t* key, const std::uint8_t* iv);
  int restart(const std::uint8_t* iv);
  int chaining_value(std::uint8_t* iv) const;
};

template <typename Aes, bool Encrypts>
bool ecb(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  (Encrypts ? Aes::encrypt : Aes::decrypt)(c.keys_of<Aes>(), length, out, in);
  return true;
}

template <typename Aes, bool Encrypts>
bool cbc(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  if (Encrypts)
    Aes::cbc_encrypt(c.keys_of<Aes>(), c.chain, length, out, in);
  else
    cbc_decrypt(c.keys_of<Aes>(), inverse_cipher<Aes>(), block_bytes, c.chain, length, out, in);
  return true;
}

template <typename Aes, bool Encrypts>
bool cfb8(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  (Encrypts ? cfb8_encrypt : cfb8_decrypt)(c.keys_of<Aes>(), cipher<Aes>(), block_bytes, c.chain, length, out, in);
  return true;
}

// The next bytes of a block whose keystream is in c.chain from c.used on.
template <bool Encrypts>
void within_block(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint8_t from = in[i];
    const auto to = static_cast<std::uint8_t>(from ^ c.chain[c.used + i]);
    out[i] = to;
    c.chain[c.used + i] = Encrypts ? to : from;
  }
  c.used = (c.used + length) % block_bytes;
}

// Nettle's CFB takes a partial block at the end of a message only, and carries nothing into the next call.
template <typename Aes, bool Encrypts>
bool cfb128(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  if (c.used != 0) {
    const std::size_t take = std::min(block_bytes - c.used, length);
    within_block<Encrypts>(c, in, out, take);
    in += take;
    out += take;
    length -= take;
  }
  const std::size_t whole = length - length % block_bytes;
  if (whole != 0)
    (Encrypts ? cfb_encrypt : cfb_decrypt)(c.keys_of<Aes>(), cipher<Aes>(), block_bytes, c.chain, whole, out, in);
  if (whole != length) {
    constexpr std::uint8_t zeros[block_bytes]{};  // encrypts to the keystream, which so becomes the chain
    std::uint8_t keystream[block_bytes];
    cfb_encrypt(c.keys_of<Aes>(), cipher<Aes>(), block_bytes, c.chain, block_bytes, keystream, zeros);
    within_block<Encrypts>(c, in + whole, out + whole, length - whole);
  }
  return true;
}

template <typename Aes, bool Encrypts>
aesgate_update_fn update_for_mode(std::uint32_t mode) {
  switch (mode) {
    case AESGATE_ECB: return update_blocks<Context, ecb<Aes, Encrypts>>;
    case AESGATE_CBC: return update_blocks<Context, cbc<Aes, Encrypts>>;
    case AESGATE_CFB8: return update_any<Context, cfb8<Aes, Encrypts>>;
    case AESGATE_CFB128: return update_any<Context, cfb128<Aes, Encrypts>>;
    default: return nullptr;
  }
}

template <typename Aes>
void set_key(Context& c, const aesgate_shape& shape, const std::uint8_t* key) {
  (needs_inverse_cipher(shape) ? Aes::set_decrypt_key : Aes::set_encrypt_key)(c.keys_of<Aes>(), key);
}

aesgate_update_fn Context::update_for(const aesgate_backend&, const aesgate_shape& shape) {
  const bool encrypts = shape.direction == AESGATE_ENCRYPT;
  switch (shape.key_bits) {
    case 128: return (encrypts ? update_for_mode<Aes128, true> : update_for_mode<Aes128, false>)(shape.mode);
    case 192: return (encrypts ? update_for_mode<Aes192, true> : update_for_mode<Aes192, false>)(shape.mode);
    default: return (encrypts ? update_for_mode<Aes256, true> : update_for_mode<Aes256, false>)(shape.mode);
  }
}

int Context::start(const aesgate_backend&, const aesgate_shape& shape, const std::uint8_t* key,
                   const std::uint8_t* iv) {
  mode = shape.mode;
  switch (shape.key_bits) {
    case 128: set_key<Aes128>(*this, shape, key); break;
    case 192: set_key<Aes192>(*this, shape, key); break;
    default: set_key<Aes256>(*this, shape, key); break;
  }
  return restart(iv);
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

constexpr aesgate_backend backend =
    library_backend<Context>("nettle", "Nettle: aes*_encrypt(), cbc_*(), cfb8_*() and cfb_*()");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate::library
