#include <botan/block_cipher.h>
#include <botan/build.h>
#include <botan/cipher_mode.h>
#include <botan/stream_cipher.h>

#include <cstring>
#include <memory>
#include <string>

#include "backends/library/library_backend.h"
#include "core/cpu_mask_libraries.h"
#if BOTAN_VERSION_MAJOR == 2
#include <botan/cpuid.h>
#endif

// Botan 2 and 3: ECB by BlockCipher, which is where it has it; CBC, CFB8 and CFB128 by Cipher_Mode, which works in
// place only; OFB by StreamCipher. Its feedback sizes are multiples of 8 bits, so there is no CFB1; it does not tell
// the chaining value.
namespace aesgate::library {
namespace {

#ifdef BOTAN_HAS_MODE_CBC
constexpr bool has_cbc = true;
#else
constexpr bool has_cbc = false;
#endif
#ifdef BOTAN_HAS_MODE_CFB
constexpr bool has_cfb = true;
#else
constexpr bool has_cfb = false;
#endif
#ifdef BOTAN_HAS_OFB
constexpr bool has_ofb = true;
#else
constexpr bool has_ofb = false;
#endif

#if BOTAN_VERSION_MAJOR >= 3
constexpr auto library_encrypts = Botan::Cipher_Dir::Encryption;
constexpr auto library_decrypts = Botan::Cipher_Dir::Decryption;
#else
constexpr auto library_encrypts = Botan::ENCRYPTION;
constexpr auto library_decrypts = Botan::DECRYPTION;
#endif

struct Context {
  // One of the three is there, as the mode says.
  std::unique_ptr<Botan::BlockCipher> ecb;
  std::unique_ptr<Botan::Cipher_Mode> mode;
  std::unique_ptr<Botan::StreamCipher> ofb;

  static aesgate_update_fn update_for(const aesgate_backend& self, const aesgate_shape& shape);
  int start(const aesgate_backend& self, const aesgate_shape& shape, const std::uint8_t* key, const std::uint8_t* iv);
  int restart(const std::uint8_t* iv);
};

bool ecb_encrypt(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  c.ecb->encrypt_n(in, out, length / block_bytes);
  return true;
}

bool ecb_decrypt(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  c.ecb->decrypt_n(in, out, length / block_bytes);
  return true;
}

// CBC and CFB. process() speaks of multiples of update_granularity(), but CFB carries a partial block to the next call.
bool process(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  if (out != in) std::memcpy(out, in, length);
  return c.mode->process(out, length) == length;
}

bool ofb(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  c.ofb->cipher(in, out, length);
  return true;
}

aesgate_update_fn Context::update_for(const aesgate_backend&, const aesgate_shape& shape) {
  switch (shape.mode) {
    case AESGATE_ECB:
      return shape.direction == AESGATE_ENCRYPT ? update_blocks<Context, ecb_encrypt>
                                                : update_blocks<Context, ecb_decrypt>;
    case AESGATE_CBC: return has_cbc ? update_blocks<Context, process> : nullptr;
    case AESGATE_CFB8:
    case AESGATE_CFB128: return has_cfb ? update_any<Context, process> : nullptr;
    case AESGATE_OFB: return has_ofb ? update_any<Context, library::ofb> : nullptr;
    default: return nullptr;
  }
}

// Before the first cipher chooses its code. Botan 3 has read BOTAN_CLEAR_CPUID.
bool use_no_hidden_feature() {
#if BOTAN_VERSION_MAJOR == 2
  for (const char* feature : botan_features(cpu_mask()))
    for (const auto bit : Botan::CPUID::bit_from_string(feature)) Botan::CPUID::clear_cpuid_bit(bit);
#endif
  return true;
}

int Context::start(const aesgate_backend&, const aesgate_shape& shape, const std::uint8_t* key,
                   const std::uint8_t* iv) {
  [[maybe_unused]] static const bool masked = use_no_hidden_feature();
  const std::string cipher = "AES-" + std::to_string(shape.key_bits);
  const std::size_t key_bytes = shape.key_bits / 8;
  if (shape.mode == AESGATE_ECB) {
    ecb = Botan::BlockCipher::create_or_throw(cipher);
    ecb->set_key(key, key_bytes);
  } else if (shape.mode == AESGATE_OFB) {
    ofb = Botan::StreamCipher::create_or_throw("OFB(" + cipher + ")");
    ofb->set_key(key, key_bytes);
  } else {
    const char* name = shape.mode == AESGATE_CBC    ? "/CBC/NoPadding"
                       : shape.mode == AESGATE_CFB8 ? "/CFB(8)"
                                                    : "/CFB(128)";
    mode = Botan::Cipher_Mode::create_or_throw(
        cipher + name, shape.direction == AESGATE_ENCRYPT ? library_encrypts : library_decrypts);
    mode->set_key(key, key_bytes);
  }
  return restart(iv);
}

int Context::restart(const std::uint8_t* iv) {
  if (mode != nullptr) mode->start(iv, block_bytes);
  if (ofb != nullptr) ofb->set_iv(iv, block_bytes);
  return AESGATE_OK;
}

constexpr aesgate_backend backend =
    library_backend<Context>("botan", "Botan: BlockCipher, Cipher_Mode and StreamCipher");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate::library
