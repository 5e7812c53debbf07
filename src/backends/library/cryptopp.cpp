#include <cryptopp/aes.h>
#include <cryptopp/cpu.h>
#include <cryptopp/modes.h>

#include <variant>

#include "backends/library/library_backend.h"
#include "core/cpu_mask.h"

// Crypto++: its mode classes, with the code that it chooses for this CPU. It has no CFB1, and does not tell the
// chaining value.
//
// This backend uses the shared library. The oracle holds a copy of the static one behind hidden symbols, whose CPU
// flags it switches to portable code; so each has flags of its own, and this one is what other programs of the system
// run.
namespace aesgate::library {
namespace {

using CryptoPP::AES;
using EcbEncryption = CryptoPP::ECB_Mode<AES>::Encryption;
using EcbDecryption = CryptoPP::ECB_Mode<AES>::Decryption;
using CbcEncryption = CryptoPP::CBC_Mode<AES>::Encryption;
using CbcDecryption = CryptoPP::CBC_Mode<AES>::Decryption;
using CfbEncryption = CryptoPP::CFB_Mode<AES>::Encryption;
using CfbDecryption = CryptoPP::CFB_Mode<AES>::Decryption;
using Ofb = CryptoPP::OFB_Mode<AES>::Encryption;

struct Context {
  std::variant<std::monostate, EcbEncryption, EcbDecryption, CbcEncryption, CbcDecryption, CfbEncryption, CfbDecryption,
               Ofb>
      object;
  CryptoPP::SymmetricCipher* cipher = nullptr;  // the one in `object`
  bool has_iv = false;

  static aesgate_update_fn update_for(const aesgate_backend& self, const aesgate_shape& shape);
  int start(const aesgate_backend& self, const aesgate_shape& shape, const std::uint8_t* key, const std::uint8_t* iv);
  int restart(const std::uint8_t* iv);
};

// The class is known, so this is no virtual call.
template <typename Cipher>
bool process(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  std::get_if<Cipher>(&c.object)->Cipher::ProcessData(out, in, length);
  return true;
}

aesgate_update_fn Context::update_for(const aesgate_backend&, const aesgate_shape& shape) {
  const bool encrypts = shape.direction == AESGATE_ENCRYPT;
  switch (shape.mode) {
    case AESGATE_ECB:
      return encrypts ? update_blocks<Context, process<EcbEncryption>> : update_blocks<Context, process<EcbDecryption>>;
    case AESGATE_CBC:
      return encrypts ? update_blocks<Context, process<CbcEncryption>> : update_blocks<Context, process<CbcDecryption>>;
    case AESGATE_CFB8:
    case AESGATE_CFB128:
      return encrypts ? update_any<Context, process<CfbEncryption>> : update_any<Context, process<CfbDecryption>>;
    case AESGATE_OFB: return update_any<Context, process<Ofb>>;
    default: return nullptr;
  }
}

// Crypto++ goes by these flags, which the first Has…() sets to what the CPU has; before the first key, since a key made
// earlier has another form.
bool use_no_hidden_feature() {
#if CRYPTOPP_BOOL_X86 || CRYPTOPP_BOOL_X32 || CRYPTOPP_BOOL_X64
  (void)CryptoPP::HasAESNI();
  const auto hide = [](Feature feature, bool& flag) {
    if (cpu_mask().hides(feature)) flag = false;
  };
  hide(Feature::ssse3, CryptoPP::g_hasSSSE3);
  hide(Feature::sse41, CryptoPP::g_hasSSE41);
  hide(Feature::aes, CryptoPP::g_hasAESNI);
  hide(Feature::avx, CryptoPP::g_hasAVX);
  hide(Feature::avx2, CryptoPP::g_hasAVX2);
#endif
  return true;
}

int Context::start(const aesgate_backend&, const aesgate_shape& shape, const std::uint8_t* key,
                   const std::uint8_t* iv) {
  [[maybe_unused]] static const bool masked = use_no_hidden_feature();
  const bool encrypts = shape.direction == AESGATE_ENCRYPT;
  const std::size_t key_bytes = shape.key_bits / 8;
  const int feedback_bytes = shape.mode == AESGATE_CFB8 ? 1 : static_cast<int>(block_bytes);
  has_iv = shape.mode != AESGATE_ECB;
  switch (shape.mode) {
    case AESGATE_ECB:
      if (encrypts)
        cipher = &object.emplace<EcbEncryption>(key, key_bytes);
      else
        cipher = &object.emplace<EcbDecryption>(key, key_bytes);
      break;
    case AESGATE_CBC:
      if (encrypts)
        cipher = &object.emplace<CbcEncryption>(key, key_bytes, iv);
      else
        cipher = &object.emplace<CbcDecryption>(key, key_bytes, iv);
      break;
    case AESGATE_OFB: cipher = &object.emplace<Ofb>(key, key_bytes, iv); break;
    default:
      if (encrypts)
        cipher = &object.emplace<CfbEncryption>(key, key_bytes, iv, feedback_bytes);
      else
        cipher = &object.emplace<CfbDecryption>(key, key_bytes, iv, feedback_bytes);
  }
  return AESGATE_OK;
}

int Context::restart(const std::uint8_t* iv) {
  if (has_iv) cipher->Resynchronize(iv, block_bytes);
  return AESGATE_OK;
}

constexpr aesgate_backend backend =
    library_backend<Context>("cryptopp", "Crypto++: ProcessData() of its mode classes, on the code it chooses");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate::library
