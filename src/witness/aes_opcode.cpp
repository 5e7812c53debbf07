#include "witness/aes_opcode.h"

#include <algorithm>

#if defined(__x86_64__)
#include <Zydis/Zydis.h>
#endif

namespace aesgate::witness {

#if defined(__x86_64__)
namespace {

// Before main: a signal handler decodes.
const ZydisDecoder decoder = [] {
  ZydisDecoder made;
  ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return made;
}();

struct Meaning {
  AesOperation operation = AesOperation::none;
  bool decrypt = false;
  std::uint8_t lanes = 0;  // where the vector length does not say it
};

Meaning meaning_of(ZydisMnemonic mnemonic) {
  using Op = AesOperation;
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_AESENC:
    case ZYDIS_MNEMONIC_VAESENC: return {Op::round};
    case ZYDIS_MNEMONIC_AESDEC:
    case ZYDIS_MNEMONIC_VAESDEC: return {Op::round, true};
    case ZYDIS_MNEMONIC_AESENCLAST:
    case ZYDIS_MNEMONIC_VAESENCLAST: return {Op::last_round};
    case ZYDIS_MNEMONIC_AESDECLAST:
    case ZYDIS_MNEMONIC_VAESDECLAST: return {Op::last_round, true};
    case ZYDIS_MNEMONIC_AESKEYGENASSIST:
    case ZYDIS_MNEMONIC_VAESKEYGENASSIST: return {Op::key_assist};
    case ZYDIS_MNEMONIC_AESIMC:
    case ZYDIS_MNEMONIC_VAESIMC: return {Op::inverse_mix_columns};
    case ZYDIS_MNEMONIC_AESENC128KL:
    case ZYDIS_MNEMONIC_AESENC256KL: return {Op::key_locker, false, 1};
    case ZYDIS_MNEMONIC_AESENCWIDE128KL:
    case ZYDIS_MNEMONIC_AESENCWIDE256KL: return {Op::key_locker, false, 8};
    case ZYDIS_MNEMONIC_AESDEC128KL:
    case ZYDIS_MNEMONIC_AESDEC256KL: return {Op::key_locker, true, 1};
    case ZYDIS_MNEMONIC_AESDECWIDE128KL:
    case ZYDIS_MNEMONIC_AESDECWIDE256KL: return {Op::key_locker, true, 8};
    case ZYDIS_MNEMONIC_XCRYPT_ECB:
    case ZYDIS_MNEMONIC_XCRYPT_CBC:
    case ZYDIS_MNEMONIC_XCRYPT_CTR:
    case ZYDIS_MNEMONIC_XCRYPT_CFB:
    case ZYDIS_MNEMONIC_XCRYPT_OFB: return {Op::xcrypt};
    case ZYDIS_MNEMONIC_GF2P8AFFINEINVQB:
    case ZYDIS_MNEMONIC_VGF2P8AFFINEINVQB: return {Op::galois_affine_inverse};
    case ZYDIS_MNEMONIC_GF2P8AFFINEQB:
    case ZYDIS_MNEMONIC_VGF2P8AFFINEQB: return {Op::galois_affine};
    case ZYDIS_MNEMONIC_GF2P8MULB:
    case ZYDIS_MNEMONIC_VGF2P8MULB: return {Op::galois_multiply};
    default: return {};
  }
}

Encoding encoding_of(const ZydisDecodedInstruction& instruction) {
  if (instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX) return Encoding::vex;
  return instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? Encoding::evex : Encoding::legacy;
}

std::uint8_t lanes_of(const Meaning& meaning, Encoding encoding, unsigned vector_bits) {
  if (meaning.operation == AesOperation::xcrypt || meaning.lanes != 0) return meaning.lanes;
  return encoding == Encoding::legacy ? std::uint8_t{1} : static_cast<std::uint8_t>(vector_bits / 128);
}

}  // namespace

AesOpcode aes_opcode(std::span<const std::uint8_t> code) {
  ZydisDecodedInstruction instruction;
  AesOpcode opcode;
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, nullptr, code.data(), code.size(), &instruction)))
    return opcode;
  opcode.length = instruction.length;
  const Meaning meaning = meaning_of(instruction.mnemonic);
  opcode.operation = meaning.operation;
  if (!opcode) return opcode;
  opcode.decrypt = meaning.decrypt;
  opcode.encoding = encoding_of(instruction);
  opcode.lanes = lanes_of(meaning, opcode.encoding, instruction.avx.vector_length);
  return opcode;
}

AesOpcode aes_opcode_at(std::uint64_t address) {
  constexpr std::uint64_t page = 4096;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(address);
  const std::size_t here = std::min<std::uint64_t>(ZYDIS_MAX_INSTRUCTION_LENGTH, page - address % page);
  const AesOpcode opcode = aes_opcode({bytes, here});
  if (opcode.length != 0 || here == ZYDIS_MAX_INSTRUCTION_LENGTH) return opcode;
  return aes_opcode({bytes, ZYDIS_MAX_INSTRUCTION_LENGTH});  // it goes on, on the next page
}

#else

AesOpcode aes_opcode(std::span<const std::uint8_t>) { return {}; }
AesOpcode aes_opcode_at(std::uint64_t) { return {}; }

#endif

bool AesOpcode::is_aes() const {
  switch (operation) {
    case AesOperation::none:
    case AesOperation::galois_affine_inverse:
    case AesOperation::galois_affine:
    case AesOperation::galois_multiply: return false;
    default: return true;
  }
}

std::string_view mnemonic(const AesOpcode& opcode) {
  switch (opcode.operation) {
    case AesOperation::none: return {};
    case AesOperation::round: return opcode.decrypt ? "AESDEC" : "AESENC";
    case AesOperation::last_round: return opcode.decrypt ? "AESDECLAST" : "AESENCLAST";
    case AesOperation::key_assist: return "AESKEYGENASSIST";
    case AesOperation::inverse_mix_columns: return "AESIMC";
    case AesOperation::key_locker:
      if (opcode.lanes == 8) return opcode.decrypt ? "AESDECWIDEKL" : "AESENCWIDEKL";
      return opcode.decrypt ? "AESDECKL" : "AESENCKL";
    case AesOperation::xcrypt: return "XCRYPT";
    case AesOperation::galois_affine_inverse: return "GF2P8AFFINEINVQB";
    case AesOperation::galois_affine: return "GF2P8AFFINEQB";
    case AesOperation::galois_multiply: return "GF2P8MULB";
  }
  return {};
}

std::string_view unit_of(const AesOpcode& opcode) {
  if (!opcode) return {};
  if (!opcode.is_aes()) return "gfni";
  if (opcode.operation == AesOperation::xcrypt) return "xcrypt";
  if (opcode.operation == AesOperation::key_locker) return "keylocker";
  return opcode.lanes == 4 ? "vaes.zmm" : opcode.lanes == 2 ? "vaes.ymm" : "aes.xmm";
}

}  // namespace aesgate::witness
