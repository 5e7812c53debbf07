#include "witness/call_counts.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "witness/aes_opcode.h"
#include "witness/single_step.h"

namespace aesgate::witness {

struct CallCounter::Shared {
  CallCounts counts;
  bool counting, saw_the_end;
  std::uint64_t previous_address;  // of the step before
  std::uint64_t blocks_left;       // in RCX, if that was an XCRYPT
  std::size_t last_round_count;
  std::array<LastRound, most_last_rounds> last_rounds;
};

namespace {

std::size_t width_of(const AesOpcode& opcode) { return opcode.lanes == 4 ? 2 : opcode.lanes == 2 ? 1 : 0; }

/// The step at its first instruction shows that a call came back with the trap flag as it was.
__attribute__((noinline)) void the_end() { asm volatile("" : : : "memory"); }

#if defined(__x86_64__) && defined(__linux__)

/// The register with the state: the first source, which in the legacy encoding is the target too (Intel SDM volume 2,
/// section 2.3.5.6 and 2.7.1: the inverted bits vvvv and V').
unsigned state_register(const std::uint8_t* code, const AesOpcode& opcode) {
  if (opcode.encoding == Encoding::vex) return ~(code[2] >> 3u) & 15u;
  if (opcode.encoding == Encoding::evex) return (~(code[2] >> 3u) & 15u) | ((code[3] & 8u) != 0 ? 0u : 16u);
  // 66 [REX] 0F 38 DD /r: REX.R and the middle bits of ModRM. Other prefixes may come before.
  const std::uint8_t* const map = code + opcode.length;
  const std::uint8_t* at = code;
  while (at + 2 < map && !(at[0] == 0x0f && at[1] == 0x38)) ++at;
  const bool extended = at > code && (at[-1] & 0xf4) == 0x44;
  return (at[3] >> 3u & 7u) | (extended ? 8u : 0u);
}

bool is_thread_call(std::uint64_t number) {
  return number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork ||
         number == SYS_futex;
}

#endif

}  // namespace

CallCounter::CallCounter(const Limits& limits) : limits_(limits) {
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = new (memory) Shared{};
}

CallCounter::~CallCounter() { munmap(shared_, sizeof(Shared)); }

void CallCounter::begin() {
  shared_->counting = true;
  resume_steps();
}

void CallCounter::end() {
  the_end();
  pause_steps();
}

const CallCounts& CallCounter::counts() const { return shared_->counts; }

std::span<const LastRound> CallCounter::last_rounds() const {
  return {shared_->last_rounds.data(), shared_->last_round_count};
}

bool CallCounter::saw_the_end() const { return shared_->saw_the_end; }

#if defined(__x86_64__) && defined(__linux__)

bool CallCounter::add(const Step& step) {
  if (!shared_->counting) return true;
  if (step.address == reinterpret_cast<std::uint64_t>(&the_end)) {
    shared_->saw_the_end = true;
    shared_->counting = false;
    return true;
  }
  CallCounts& counts = shared_->counts;
  if (is_enough()) return false;
  ++counts.steps;
  const AesOpcode opcode = aes_opcode_at(step.address);
  const auto* const code = reinterpret_cast<const std::uint8_t*>(step.address);
  if (opcode.is_aes()) {
    ++counts.aes_instructions;
    if (counts.first_aes_address == 0) counts.first_aes_address = step.address;
  }
  if (opcode.operation == AesOperation::xcrypt)
    count_xcrypt(step);
  else if (opcode)
    count_vector(step, opcode);
  else if (opcode.length == 0 && counts.undecoded_address == 0)
    counts.undecoded_address = step.address;
  else if (opcode.length == 2 && code[0] == 0x0f && code[1] == 0x05)
    count_system_call(step);
  shared_->previous_address = step.address;
  return true;
}

bool CallCounter::is_enough() const {
  const CallCounts& counts = shared_->counts;
  const bool has_come = (counts.aes_instructions | counts.galois_instructions | counts.system_calls) != 0;
  const bool has_begun =
      (sum(counts.last_lanes) | sum(counts.galois_inverse_lanes) | counts.key_locker_lanes | counts.xcrypt_blocks) != 0;
  return counts.steps == limits_.most || (counts.steps == limits_.patience && !has_come) ||
         (counts.steps >= limits_.once_begun && has_begun);
}

void CallCounter::count_vector(const Step& step, const AesOpcode& opcode) {
  CallCounts& counts = shared_->counts;
  const std::size_t width = width_of(opcode);
  if (!opcode.is_aes()) ++counts.galois_instructions;
  switch (opcode.operation) {
    case AesOperation::round: counts.round_lanes[width] += opcode.lanes; return;
    case AesOperation::key_locker: counts.key_locker_lanes += opcode.lanes; return;
    case AesOperation::galois_affine_inverse: counts.galois_inverse_lanes[width] += opcode.lanes; return;
    case AesOperation::last_round: counts.last_lanes[width] += opcode.lanes; break;
    default: return;
  }
  const auto state = step.registers.vector(state_register(reinterpret_cast<const std::uint8_t*>(step.address), opcode));
  for (std::size_t lane = 0; lane < opcode.lanes && shared_->last_round_count < most_last_rounds; ++lane) {
    LastRound& last = shared_->last_rounds[shared_->last_round_count++];
    std::memcpy(last.state.data(), state.data() + lane * block_bytes, block_bytes);
    last.width = static_cast<std::uint8_t>(width);
    last.step = counts.steps;
  }
}

/// It repeats, and may trap after each block: then it is the step before that goes on.
void CallCounter::count_xcrypt(const Step& step) {
  CallCounts& counts = shared_->counts;
  const std::uint64_t blocks = step.registers.general[1];
  if (shared_->previous_address == step.address && blocks < shared_->blocks_left) {
    --counts.aes_instructions;
  } else {
    ++counts.xcrypt_instructions;
    counts.xcrypt_blocks += blocks;
  }
  shared_->blocks_left = blocks;
}

void CallCounter::count_system_call(const Step& step) {
  CallCounts& counts = shared_->counts;
  const std::uint64_t number = step.registers.general[0];
  ++counts.system_calls;
  if (is_thread_call(number)) ++counts.thread_calls;
  // The type of the requests of <crypto/cryptodev.h>, on Linux and on BSD, is 'c' (asm-generic/ioctl.h).
  if (number == SYS_ioctl && (step.registers.general[6] >> 8 & 0xff) == 'c') ++counts.device_requests;
}

#else

bool CallCounter::add(const Step&) { return false; }

#endif

}  // namespace aesgate::witness
