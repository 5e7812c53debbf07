#include "oracle/oracle_cryptopp.h"

#include <cryptopp/aes.h>
#include <cryptopp/cpu.h>
#include <cryptopp/misc.h>
#include <cryptopp/modes.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <variant>

namespace {

constexpr std::size_t block_bytes = CryptoPP::AES::BLOCKSIZE;

using Ecb = CryptoPP::ECB_Mode_ExternalCipher::Encryption;  // the direction is the cipher's
using CbcEncryption = CryptoPP::CBC_Mode_ExternalCipher::Encryption;
using CbcDecryption = CryptoPP::CBC_Mode_ExternalCipher::Decryption;
using CfbEncryption = CryptoPP::CFB_Mode_ExternalCipher::Encryption;
using CfbDecryption = CryptoPP::CFB_Mode_ExternalCipher::Decryption;
using Ofb = CryptoPP::OFB_Mode_ExternalCipher::Encryption;

// Crypto++'s objects, made within the caller's memory. The mode refers to the cipher, so it comes second and goes
// first.
struct Context {
  std::uint32_t mode = AESGATE_ECB;
  bool encrypts = true;
  std::size_t used = 0;                   // bytes of the block that the message is in, 0..15
  std::uint8_t register_[block_bytes]{};  // the chaining value once `used` is 0; Crypto++ does not tell its own

  std::variant<std::monostate, CryptoPP::AES::Encryption, CryptoPP::AES::Decryption> cipher_object;
  std::variant<std::monostate, Ecb, CbcEncryption, CbcDecryption, CfbEncryption, CfbDecryption, Ofb> mode_object;
  CryptoPP::BlockCipher* cipher = nullptr;
  CryptoPP::SymmetricCipher* stream = nullptr;  // null in CFB1, which Crypto++ does not have
};

Context& context_of(void* context) { return *static_cast<Context*>(context); }

// No exception leaves: what Crypto++ throws, and std::bad_alloc, is a failure of the library.
template <typename Call>
int guarded(const Call& call) {
  try {
    call();
    return AESGATE_OK;
  } catch (...) {
    return AESGATE_FAILED;
  }
}

// Crypto++ looks at these flags with every key and every call, and a key made before they change gives wrong results
// after; so this runs before the shared object gives out its backend. Has…() runs the detection, which would set the
// flags again if it came later.
bool use_portable_code() {
#if CRYPTOPP_BOOL_X86 || CRYPTOPP_BOOL_X32 || CRYPTOPP_BOOL_X64
  (void)CryptoPP::HasAESNI();
  CryptoPP::g_hasAESNI = false;
  CryptoPP::g_hasSSE2 = false;
#elif CRYPTOPP_BOOL_ARM32 || CRYPTOPP_BOOL_ARMV8
  (void)CryptoPP::HasAES();
  CryptoPP::g_hasAES = false;
  CryptoPP::g_hasARMv7 = false;
#elif CRYPTOPP_BOOL_PPC32 || CRYPTOPP_BOOL_PPC64
  (void)CryptoPP::HasAES();
  CryptoPP::g_hasAES = false;
#endif
  return true;
}

// The last bytes, at most a block, of what the mode chains: ciphertext in CBC and CFB (SP 800-38A sections 6.2, 6.3),
// the cipher's output, which is input ^ output, in OFB (6.4). The input is saved before a call that may overwrite it.
class Chained {
 public:
  Chained(const std::uint8_t* in, std::size_t length) : size_(length < block_bytes ? length : block_bytes) {
    std::memcpy(bytes_, in + length - size_, size_);
  }

  void shift_into(Context& c, const std::uint8_t* out, std::size_t length) {
    const std::uint8_t* last = out + length - size_;
    for (std::size_t i = 0; i < size_; ++i) {
      if (c.mode == AESGATE_OFB)
        bytes_[i] = static_cast<std::uint8_t>(bytes_[i] ^ last[i]);
      else if (c.encrypts)
        bytes_[i] = last[i];
    }
    std::memmove(c.register_, c.register_ + size_, block_bytes - size_);
    std::memcpy(c.register_ + block_bytes - size_, bytes_, size_);
  }

 private:
  std::size_t size_;
  std::uint8_t bytes_[block_bytes];
};

int update_bytes(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  Context& c = context_of(context);
  if ((c.mode == AESGATE_ECB || c.mode == AESGATE_CBC) && length % block_bytes != 0) return AESGATE_BAD_ARGUMENT;
  if (length == 0) return AESGATE_OK;
  return guarded([&] {
    Chained chained(in, length);
    c.stream->ProcessData(out, in, length);
    chained.shift_into(c, out, length);
    c.used = (c.used + length) % block_bytes;
  });
}

// SP 800-38A section 6.3 with segments of one bit.
int update_cfb1(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  Context& c = context_of(context);
  return guarded([&] {
    for (std::size_t bit = 0; bit < length; ++bit) {
      std::uint8_t output_block[block_bytes];
      c.cipher->ProcessBlock(c.register_, output_block);
      const unsigned mask = 0x80u >> (bit % 8);
      const bool in_bit = (in[bit / 8] & mask) != 0;
      const bool out_bit = in_bit != ((output_block[0] & 0x80) != 0);
      out[bit / 8] = static_cast<std::uint8_t>(out_bit ? out[bit / 8] | mask : out[bit / 8] & ~mask);
      unsigned carry = c.encrypts ? out_bit : in_bit;
      for (std::size_t i = block_bytes; i-- > 0;) {
        const unsigned shifted = (static_cast<unsigned>(c.register_[i]) << 1) | carry;
        c.register_[i] = static_cast<std::uint8_t>(shifted);
        carry = shifted >> 8;
      }
    }
  });
}

aesgate_update_fn update_for(const aesgate_backend*, const aesgate_shape* shape) {
  if (shape->flags != 0 || shape->mode > AESGATE_OFB || shape->direction > AESGATE_DECRYPT) return nullptr;
  if (shape->key_bits != 128 && shape->key_bits != 192 && shape->key_bits != 256) return nullptr;
  return shape->mode == AESGATE_CFB1 ? update_cfb1 : update_bytes;
}

int probe(const aesgate_backend* self, char* reason, std::size_t size) {
  std::string provider;
  if (guarded([&] { provider = CryptoPP::AES::Encryption().AlgorithmProvider(); }) != AESGATE_OK) {
    std::snprintf(reason, size, "Crypto++ does not say which code does AES");
    return AESGATE_UNAVAILABLE;
  }
  const auto* required = static_cast<const char*>(self->data);
  if (provider == required) return AESGATE_OK;
  std::snprintf(reason, size,
                "Crypto++ does AES by \"%s\" and not by \"%s\": this oracle must not share the code of what it judges",
                provider.c_str(), required);
  return AESGATE_UNAVAILABLE;
}

std::size_t context_size(const aesgate_backend*, const aesgate_shape*) { return sizeof(Context); }

void make_cipher(Context& c, const std::uint8_t* key, std::size_t key_bytes) {
  const bool inverse = !c.encrypts && (c.mode == AESGATE_ECB || c.mode == AESGATE_CBC);
  if (inverse)
    c.cipher = &c.cipher_object.emplace<CryptoPP::AES::Decryption>(key, key_bytes);
  else
    c.cipher = &c.cipher_object.emplace<CryptoPP::AES::Encryption>(key, key_bytes);
}

void make_mode(Context& c, const std::uint8_t* iv) {
  auto& object = c.mode_object;
  switch (c.mode) {
    case AESGATE_ECB: c.stream = &object.emplace<Ecb>(*c.cipher); return;
    case AESGATE_CBC:
      if (c.encrypts)
        c.stream = &object.emplace<CbcEncryption>(*c.cipher, iv);
      else
        c.stream = &object.emplace<CbcDecryption>(*c.cipher, iv);
      return;
    case AESGATE_CFB8:
    case AESGATE_CFB128: {
      const int feedback_bytes = c.mode == AESGATE_CFB8 ? 1 : static_cast<int>(block_bytes);
      if (c.encrypts)
        c.stream = &object.emplace<CfbEncryption>(*c.cipher, iv, feedback_bytes);
      else
        c.stream = &object.emplace<CfbDecryption>(*c.cipher, iv, feedback_bytes);
      return;
    }
    case AESGATE_OFB: c.stream = &object.emplace<Ofb>(*c.cipher, iv); return;
    default: return;  // CFB1 has no object
  }
}

int start(const aesgate_backend*, void* context, const aesgate_shape* shape, const std::uint8_t* key,
          const std::uint8_t* iv) {
  Context& c = *new (context) Context;  // allocates nothing yet, so that finish() can follow whatever comes
  c.mode = shape->mode;
  c.encrypts = shape->direction == AESGATE_ENCRYPT;
  if (c.mode != AESGATE_ECB) std::memcpy(c.register_, iv, block_bytes);
  return guarded([&] {
    make_cipher(c, key, shape->key_bits / 8);
    make_mode(c, iv);
  });
}

int restart(void* context, const std::uint8_t* iv) {
  Context& c = context_of(context);
  c.used = 0;
  if (c.mode == AESGATE_ECB) return AESGATE_OK;
  std::memcpy(c.register_, iv, block_bytes);
  return guarded([&] {
    if (c.stream != nullptr) c.stream->Resynchronize(iv);
  });
}

int chaining_value(const void* context, std::uint8_t iv[16]) {
  const Context& c = *static_cast<const Context*>(context);
  const bool in_block = c.used != 0 && c.mode != AESGATE_CFB8;
  if (c.mode == AESGATE_ECB || in_block) return AESGATE_UNSUPPORTED;
  std::memcpy(iv, c.register_, block_bytes);
  return AESGATE_OK;
}

void finish(void* context) {
  std::destroy_at(static_cast<Context*>(context));  // Crypto++ wipes what it allocated
  CryptoPP::SecureWipeBuffer(static_cast<std::uint8_t*>(context), sizeof(Context));
}

const aesgate_backend backend{
    .abi_version = AESGATE_ABI_VERSION,
    .struct_size = sizeof(aesgate_backend),
    .name = "oracle-cryptopp",
    .kind = "library",
    .unit = "none",
    .description = "Crypto++ on its portable path, CFB1 built on its block cipher",
    .data = "C++",
    .configure = nullptr,
    .probe = probe,
    .update_for = update_for,
    .context_size = context_size,
    .context_align = alignof(Context),
    .start = start,
    .restart = restart,
    .chaining_value = chaining_value,
    .finish = finish,
};

}  // namespace

extern "C" const aesgate_backend* aesgate_oracle_cryptopp(void) {
  [[maybe_unused]] static const bool portable = use_portable_code();
  return &backend;
}
