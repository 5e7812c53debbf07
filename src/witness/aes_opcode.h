#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace aesgate::witness {

/// What an instruction does of AES (Intel SDM volume 2; VIA PadLock Programming Guide).
enum class AesOperation : std::uint8_t {
  none,
  round,                  // AESENC, AESDEC and their VEX and EVEX forms: one round of each lane
  last_round,             // AESENCLAST, AESDECLAST
  key_assist,             // AESKEYGENASSIST
  inverse_mix_columns,    // AESIMC
  key_locker,             // AESENC128KL and its like: all rounds of each lane, under a wrapped key
  xcrypt,                 // PadLock: all rounds of as many blocks as rCX says
  galois_affine_inverse,  // GF2P8AFFINEINVQB: SubBytes of each lane, for who uses it for that
  galois_affine,          // GF2P8AFFINEQB
  galois_multiply         // GF2P8MULB
};

enum class Encoding : std::uint8_t { legacy, vex, evex };

/// AesOpcode: one instruction of x86-64 by what it does of AES.
struct AesOpcode {
  AesOperation operation = AesOperation::none;
  bool decrypt = false;    // of round, last_round and key_locker: it is of the inverse cipher
  std::uint8_t lanes = 0;  // blocks of 16 bytes at a time: 1 xmm, 2 ymm, 4 zmm; 8 of a wide Key Locker; 0 of xcrypt
  Encoding encoding = Encoding::legacy;
  std::uint8_t length = 0;  // in bytes; 0: it could not be decoded. Of instructions that do nothing of AES, too

  explicit operator bool() const { return operation != AesOperation::none; }
  /// AES proper: not what GFNI has for any field of 2^8 elements.
  [[nodiscard]] bool is_aes() const;
  friend bool operator==(const AesOpcode&, const AesOpcode&) = default;
};

/// The instruction that `code` begins with; a few bytes more than its own are enough, and 15 always are. Without any
/// allocation, lock or system call: a signal handler may do it. Nothing on other architectures.
[[nodiscard]] AesOpcode aes_opcode(std::span<const std::uint8_t> code);

/// The same at an address of this process, of which no byte behind the instruction is read that could be on a page
/// that is not there.
[[nodiscard]] AesOpcode aes_opcode_at(std::uint64_t address);

/// "AESENC", whatever the encoding; "GF2P8AFFINEINVQB", "XCRYPT"; empty for none.
[[nodiscard]] std::string_view mnemonic(const AesOpcode& opcode);

/// The word that a backend's `unit` has for it: "aes.xmm", "vaes.ymm", "vaes.zmm", "gfni", "xcrypt", "keylocker".
[[nodiscard]] std::string_view unit_of(const AesOpcode& opcode);

}  // namespace aesgate::witness
