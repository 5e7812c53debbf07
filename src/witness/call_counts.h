#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/bytes.h"
#include "witness/step.h"

namespace aesgate::witness {

struct AesOpcode;

/// A number for each width of a vector: blocks in xmm, ymm and zmm registers.
using ByWidth = std::array<std::uint64_t, 3>;
[[nodiscard]] inline std::uint64_t sum(const ByWidth& lanes) { return lanes[0] + lanes[1] + lanes[2]; }

/// CallCounts: what the instructions of a stepped call were, as far as AES and the kernel go.
struct CallCounts {
  std::uint64_t steps = 0;
  std::uint64_t aes_instructions = 0;   // all that AesOpcode::is_aes() says
  std::uint64_t first_aes_address = 0;  // of the first of them; 0: there was none
  ByWidth round_lanes{}, last_lanes{};  // AESENC and AESDEC; AESENCLAST and AESDECLAST
  std::uint64_t key_locker_lanes = 0;
  std::uint64_t xcrypt_instructions = 0, xcrypt_blocks = 0;
  std::uint64_t galois_instructions = 0;  // all of GFNI's
  ByWidth galois_inverse_lanes{};         // GF2P8AFFINEINVQB
  std::uint64_t system_calls = 0;
  std::uint64_t device_requests = 0;  // of those, ioctl() of /dev/crypto's kind
  std::uint64_t thread_calls = 0;     // of those, such as start a thread or process, or wait for one

  std::uint64_t undecoded_address = 0;  // of an instruction that could not be decoded; 0: there was none
};

/// LastRound: the state that one lane of an AESENCLAST or AESDECLAST was given.
struct LastRound {
  Block state;
  std::uint8_t width;  // place in a ByWidth
  std::uint64_t step;  // its number in the call, from 1
};

/// CallCounter: counts in a stepped child (witness/single_step.h), in memory that it shares.
class CallCounter {
 public:
  /// Limits: after how many steps the child is stopped.
  struct Limits {
    std::uint64_t most = 0;                        // whatever comes
    std::uint64_t patience = ~std::uint64_t{0};    // if nothing of AES, of GFNI or of the kernel came until then
    std::uint64_t once_begun = ~std::uint64_t{0};  // as soon as a block's last round, or the like, has come too
  };
  /// Throws std::bad_alloc.
  explicit CallCounter(const Limits& limits);
  ~CallCounter();
  CallCounter(const CallCounter&) = delete;
  CallCounter& operator=(const CallCounter&) = delete;

  /// For the function that is stepped: what comes between the two is counted.
  void begin();
  void end();

  /// Takes a step, in the child; false if it was one too many.
  [[nodiscard]] bool add(const Step& step);

  [[nodiscard]] const CallCounts& counts() const;
  /// As far as there was room: the first `most_last_rounds`.
  [[nodiscard]] std::span<const LastRound> last_rounds() const;
  static constexpr std::size_t most_last_rounds = 4096;

  /// end() was seen, so the steps went on until then: a call can switch them off.
  [[nodiscard]] bool saw_the_end() const;

 private:
  struct Shared;
  [[nodiscard]] bool is_enough() const;
  void count_vector(const Step& step, const AesOpcode& opcode);
  void count_xcrypt(const Step& step);
  void count_system_call(const Step& step);

  Shared* shared_;
  const Limits limits_;
};

}  // namespace aesgate::witness
