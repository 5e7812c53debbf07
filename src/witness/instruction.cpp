#include "witness/instruction.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#if defined(__x86_64__)
#include <Zydis/Zydis.h>
#endif

namespace aesgate::witness {

#if defined(__x86_64__)
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::size_t longest = ZYDIS_MAX_INSTRUCTION_LENGTH;

// Before main: decode() runs in a signal handler.
const ZydisDecoder decoder = [] {
  ZydisDecoder made;
  ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return made;
}();

struct Decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/// Bytes of the next page are looked at only if the instruction goes on there: it may not be mapped.
bool decode_bytes(std::uint64_t address, Decoded& decoded) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(address);
  const auto with = [&](std::size_t length) {
    return ZydisDecoderDecodeFull(&decoder, bytes, length, &decoded.instruction, decoded.operands);
  };
  const std::size_t here = std::min<std::uint64_t>(longest, page - address % page);
  ZyanStatus status = with(here);
  if (status == ZYDIS_STATUS_NO_MORE_DATA && here < longest) status = with(longest);
  return ZYAN_SUCCESS(status);
}

/// The general registers as Zydis names them: by 64 bits, by the 32 of an address-size prefix, and AL for XLAT.
ZydisRegisterContext context_of(const Registers& registers) {
  ZydisRegisterContext context{};
  for (std::size_t i = 0; i < registers.general.size(); ++i) {
    context.values[ZYDIS_REGISTER_RAX + i] = registers.general[i];
    context.values[ZYDIS_REGISTER_EAX + i] = registers.general[i] & 0xffff'ffff;
  }
  context.values[ZYDIS_REGISTER_AL] = registers.general[0] & 0xff;
  return context;
}

std::int64_t signed_bits(std::uint64_t value, unsigned bits) {
  const unsigned unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

/// Of VPGATHERDQ, VSCATTERPF0QPS and their like: the bits of an index and of an element, which the mnemonic ends with.
struct Elements {
  unsigned index_bits, data_bits;
};

std::optional<Elements> elements_of(ZydisMnemonic mnemonic) {
  const char* const text = ZydisMnemonicGetString(mnemonic);
  if (text == nullptr) return std::nullopt;
  std::string_view name = text;
  const std::size_t at = name.find("gather") != name.npos ? name.find("gather") + 6 : name.find("scatter") + 7;
  if (name.find("gather") == name.npos && name.find("scatter") == name.npos) return std::nullopt;
  name.remove_prefix(at);
  if (name.substr(0, 2) == "pf") name.remove_prefix(3);
  if (name.size() < 2) return std::nullopt;
  return Elements{name.front() == 'q' ? 64u : 32u, name.back() == 's' || name.substr(1) == "d" ? 32u : 64u};
}

class Addresses {
 public:
  Addresses(const Step& step, const Decoded& decoded, Instruction& result)
      : step_(step), decoded_(decoded), result_(result), context_(context_of(step.registers)) {}

  /// False if an operand's address is beyond this code.
  bool find() {
    if (decoded_.instruction.mnemonic == ZYDIS_MNEMONIC_NOP) return true;
    for (std::size_t i = 0; i < decoded_.instruction.operand_count; ++i) {
      const ZydisDecodedOperand& operand = decoded_.operands[i];
      if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) continue;
      if (!(operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB ? find_elements(operand) : add(operand, bit_offset(i))))
        return false;
    }
    return true;
  }

 private:
  bool add(const ZydisDecodedOperand& operand, std::int64_t offset) {
    ZyanU64 address = 0;
    if (!ZYAN_SUCCESS(
            ZydisCalcAbsoluteAddressEx(&decoded_.instruction, &operand, step_.address, &context_, &address)) ||
        result_.address_count == Instruction::max_addresses)
      return false;
    if (operand.mem.segment == ZYDIS_REGISTER_GS) return false;  // nothing in user space on Linux has one
    // XLAT's index has no scale, which Zydis 4.0 takes for none at all.
    if (decoded_.instruction.mnemonic == ZYDIS_MNEMONIC_XLAT && operand.mem.scale == 0)
      address += context_.values[ZYDIS_REGISTER_AL];
    if (operand.mem.segment == ZYDIS_REGISTER_FS) address += step_.registers.fs_base;
    result_.addresses[result_.address_count++] = address + static_cast<std::uint64_t>(offset);
    return true;
  }

  /// BT and its like with a bit number in a register reach beyond their operand (Intel SDM volume 2, section 3.1.1.9).
  [[nodiscard]] std::int64_t bit_offset(std::size_t operand) const {
    const auto mnemonic = decoded_.instruction.mnemonic;
    if (operand != 0 || (mnemonic != ZYDIS_MNEMONIC_BT && mnemonic != ZYDIS_MNEMONIC_BTC &&
                         mnemonic != ZYDIS_MNEMONIC_BTR && mnemonic != ZYDIS_MNEMONIC_BTS))
      return 0;
    const ZydisDecodedOperand& number = decoded_.operands[1];
    if (number.type != ZYDIS_OPERAND_TYPE_REGISTER) return 0;
    const auto id = static_cast<std::size_t>(ZydisRegisterGetId(number.reg.value));
    return signed_bits(step_.registers.general[id], number.size) >> 3;
  }

  /// The elements of a gather or scatter; EVEX has their mask in a mask register, VEX in the elements' signs.
  bool find_elements(const ZydisDecodedOperand& operand) {
    const auto elements = elements_of(decoded_.instruction.mnemonic);
    if (!elements) return false;
    const auto index_of = [](ZydisRegister reg) { return static_cast<unsigned>(ZydisRegisterGetId(reg)); };
    const auto indices = step_.registers.vector(index_of(operand.mem.index));
    const bool by_mask_register = decoded_.instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
    const std::uint64_t mask = by_mask_register ? step_.registers.mask(index_of(decoded_.instruction.avx.mask.reg)) : 0;
    const auto signs = by_mask_register ? indices : step_.registers.vector(index_of(decoded_.operands[2].reg.value));
    const unsigned bits = decoded_.instruction.avx.vector_length;
    // The longer of the two fills the vector.
    const unsigned count = bits / std::max(elements->index_bits, elements->data_bits);
    for (unsigned i = 0; i < count; ++i) {
      const bool active =
          by_mask_register ? (mask >> i & 1) != 0 : (signs[(i + 1) * elements->data_bits / 8 - 1] & 0x80) != 0;
      if (!active) continue;
      std::uint64_t index = 0;
      std::memcpy(&index, indices.data() + i * elements->index_bits / 8, elements->index_bits / 8);
      context_.values[operand.mem.index] = static_cast<std::uint64_t>(signed_bits(index, elements->index_bits));
      if (!add(operand, 0)) return false;
    }
    return true;
  }

  const Step& step_;
  const Decoded& decoded_;
  Instruction& result_;
  ZydisRegisterContext context_;
};

/// The bytes of an instruction, distances as zeros; empty if it cannot be decoded.
std::vector<std::uint8_t> without_distances(std::uint64_t address) {
  Decoded decoded;
  if (!decode_bytes(address, decoded)) return {};
  const ZydisDecodedInstruction& instruction = decoded.instruction;
  const auto* const code = reinterpret_cast<const std::uint8_t*>(address);
  std::vector<std::uint8_t> bytes(code, code + instruction.length);
  const auto clear = [&](std::size_t offset, std::size_t bits) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), bits / 8, std::uint8_t{0});
  };
  for (std::size_t i = 0; i < instruction.operand_count; ++i)
    if (decoded.operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY && decoded.operands[i].mem.base == ZYDIS_REGISTER_RIP)
      clear(instruction.raw.disp.offset, instruction.raw.disp.size);
  for (const auto& immediate : instruction.raw.imm)
    if (immediate.is_relative) clear(immediate.offset, immediate.size);
  return bytes;
}

}  // namespace

bool same_but_for_place(std::uint64_t one, std::uint64_t other) {
  const std::vector<std::uint8_t> bytes = without_distances(one);
  return !bytes.empty() && bytes == without_distances(other);
}

Instruction decode(const Step& step) {
  Instruction result;
  Decoded decoded;
  if (!decode_bytes(step.address, decoded)) return result;
  if (Addresses(step, decoded, result).find()) result.length = decoded.instruction.length;
  return result;
}

#else

Instruction decode(const Step&) { return {}; }

bool same_but_for_place(std::uint64_t, std::uint64_t) { return false; }

#endif

}  // namespace aesgate::witness
