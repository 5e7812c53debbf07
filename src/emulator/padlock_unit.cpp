#include "emulator/padlock_unit.h"

#if defined(__x86_64__) && defined(__linux__)

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include <emmintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/padlock_cipher.h"

namespace aesgate::emulator {
namespace {

using Block = std::array<std::uint32_t, 4>;

constexpr std::uint64_t page_mask = 4095;

/// The key that the unit holds. One a thread: whatever else runs on a CPU in between comes by way of an interrupt, from
/// which a return writes EFLAGS.
struct CachedKey {
  bool loaded;
  RoundKeys keys;
};
// Not allocated on first use, which would be in a signal handler.
[[gnu::tls_model("initial-exec")]] constinit thread_local CachedKey cached_key{};

// relaxed: counters and options are read while no unit runs.
using Number = std::atomic<std::uint64_t>;
struct {
  std::array<Number, 4> instructions, blocks;
  Number key_loads, alignment_faults, prefetch_faults, control_faults, modelled_clocks;
} counters;
struct {
  std::atomic<ChainPointer> chain_pointer;
  std::atomic<unsigned> ecb_ahead, cbc_ahead;
} options{{PadlockOptions().chain_pointer}, {PadlockOptions().ecb_ahead}, {PadlockOptions().cbc_ahead}};

void count(Number& number, std::uint64_t by = 1) { number.fetch_add(by, std::memory_order_relaxed); }

// The program's memory, by the CPU's own accesses: MOVDQA faults where the unit would. In assembly, since sanitizers
// must not have an opinion on it.

Block load(std::uint64_t address) {
  __m128i x;
  asm volatile("movdqa (%1), %0" : "=x"(x) : "r"(address) : "memory");
  Block block;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(block.data()), x);
  return block;
}

void store(std::uint64_t address, const Block& block) {
  const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block.data()));
  asm volatile("movdqa %1, (%0)" : : "r"(address), "x"(x) : "memory");
}

/// Eight bytes, without a fault: the kernel reads a signal mask from there before it finds that nothing is to be done
/// with it. (process_vm_readv() is forbidden in many containers.)
bool is_readable(std::uint64_t address) {
  const int saved = errno;
  constexpr int nothing = -1;
  const bool readable = syscall(SYS_rt_sigprocmask, nothing, address, nullptr, 8) != 0 && errno != EFAULT;
  errno = saved;
  return readable;
}

/// A general protection fault, by one.
bool protection_fault(Number& counter) {
  count(counter);
  alignas(16) static constexpr std::array<std::uint8_t, 32> anything{};
  load(reinterpret_cast<std::uint64_t>(anything.data()) + 1);
  std::raise(SIGSEGV);  // for CPU emulators that do not mind
  return false;
}

/// Reads the block `ahead` of the last one of the source, as the unit does by itself.
void fetch(std::uint64_t source_end, std::uint64_t address) {
  // The source's last page has just been read from, or will be.
  if (((source_end - 1) ^ address) > page_mask && !is_readable(address)) count(counters.prefetch_faults);
  load(address);
}

/// Control: the control word's fields (VIA, PadLock Programming Guide).
struct Control {
  unsigned rounds, algorithm, key_size;
  bool software_schedule, intermediate, decrypt;

  explicit Control(std::uint32_t word)
      : rounds(word & 15),
        algorithm(word >> 4 & 7),
        key_size(word >> 10 & 3),
        software_schedule((word >> 7 & 1) != 0),
        intermediate((word >> 8 & 1) != 0),
        decrypt((word >> 9 & 1) != 0) {}

  [[nodiscard]] bool has_meaning() const {
    return rounds != 0 && algorithm == 0 && key_size != 3 && (software_schedule || key_size == 0);
  }
};

void load_key(std::uint64_t address, const Control& control, const Cipher& cipher) {
  RoundKeys keys;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = load(address + 16 * i);
  if (!control.software_schedule) {
    generate_keys(keys);
    if (cipher.inverse) invert_keys(keys, cipher.rounds);
  }
  cached_key = {true, keys};
  count(counters.key_loads);
}

Block add(const Block& a, const Block& b) { return {a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]}; }

/// One block of a mode, SP 800-38A sections 6.1 to 6.4.
Block run_block(PadlockMode mode, bool decrypt, const Cipher& cipher, const Block& input, Block& chain) {
  const auto through = [&cipher](Block x) {
    run_cipher(cipher, cached_key.keys, x);
    return x;
  };
  switch (mode) {
    case PadlockMode::ecb: return through(input);
    case PadlockMode::cbc: {
      const Block output = decrypt ? add(through(input), chain) : through(add(input, chain));
      chain = decrypt ? input : output;
      return output;
    }
    case PadlockMode::cfb: {
      const Block output = add(through(chain), input);
      chain = decrypt ? input : output;
      return output;
    }
    case PadlockMode::ofb: break;
  }
  chain = through(chain);
  return add(chain, input);
}

/// The chaining value goes into memory, or RAX to where it is.
void leave_chain(PadlockMode mode, bool decrypt, const Block& chain, XcryptRegisters& r) {
  const bool cfb_points = options.chain_pointer.load(std::memory_order_relaxed) == ChainPointer::as_in_cbc;
  if (!decrypt && (mode == PadlockMode::cbc || (mode == PadlockMode::cfb && cfb_points)))
    r.rax = r.rdi - 16;
  else if (mode != PadlockMode::ecb)
    store(r.rax, chain);
}

std::uint64_t blocks_ahead(PadlockMode mode) {
  if (mode == PadlockMode::ecb) return options.ecb_ahead.load(std::memory_order_relaxed);
  return mode == PadlockMode::cbc ? options.cbc_ahead.load(std::memory_order_relaxed) : 0;
}

}  // namespace

std::optional<Xcrypt> decode_xcrypt(const std::uint8_t* code) {
  constexpr std::size_t longest = 15;  // of any instruction; a CPU finds a longer one not undefined, but faulty
  std::size_t at = 0;
  while (at < longest && code[at] == 0xf3) ++at;
  if (at == 0 || at + 3 > longest || code[at] != 0x0f || code[at + 1] != 0xa7) return std::nullopt;
  Xcrypt instruction{PadlockMode::ecb, at + 3, false};
  switch (code[at + 2]) {
    case 0xc8: break;
    case 0xd0: instruction.mode = PadlockMode::cbc; break;
    case 0xe0: instruction.mode = PadlockMode::cfb; break;
    case 0xe8: instruction.mode = PadlockMode::ofb; break;
    default: return std::nullopt;
  }
  const auto before = reinterpret_cast<std::uint64_t>(code) - 2;
  const bool may_read = (before & page_mask) < page_mask - 1 || is_readable(before);
  instruction.reloads_key = may_read && code[-2] == 0x9c && code[-1] == 0x9d;
  return instruction;
}

bool run_xcrypt(const Xcrypt& instruction, XcryptRegisters& r) {
  const PadlockMode mode = instruction.mode;
  const auto index = static_cast<std::size_t>(mode);
  count(counters.instructions[index]);
  if (r.rcx == 0) return true;
  const bool chains = mode != PadlockMode::ecb;
  if (((r.rsi | r.rdi | r.rbx | r.rdx | (chains ? r.rax : 0)) & 15) != 0)
    return protection_fault(counters.alignment_faults);
  const Control control(load(r.rdx)[0]);
  if (!control.has_meaning()) return protection_fault(counters.control_faults);
  const Cipher cipher{control.rounds, control.decrypt && mode != PadlockMode::cfb, control.intermediate};
  if (instruction.reloads_key || !cached_key.loaded) load_key(r.rbx, control, cipher);

  Block chain = chains ? load(r.rax) : Block{};
  const std::uint64_t blocks = r.rcx;
  const std::uint64_t end = r.rsi + 16 * blocks;
  std::uint64_t fetched = r.rsi;
  for (; r.rcx != 0; --r.rcx, r.rsi += 16, r.rdi += 16) {
    for (; fetched <= r.rsi + 16 * blocks_ahead(mode); fetched += 16)
      if (fetched >= end) fetch(end, fetched);
    store(r.rdi, run_block(mode, control.decrypt, cipher, load(r.rsi), chain));
  }
  leave_chain(mode, control.decrypt, chain, r);
  count(counters.blocks[index], blocks);
  count(counters.modelled_clocks, control.rounds * (chains ? 2 * blocks : blocks + 1));
  return true;
}

void set_padlock_options(const PadlockOptions& wanted) {
  options.chain_pointer = wanted.chain_pointer;
  options.ecb_ahead = wanted.ecb_ahead;
  options.cbc_ahead = wanted.cbc_ahead;
}

PadlockCounters padlock_counters() {
  PadlockCounters now;
  for (std::size_t i = 0; i < 4; ++i) {
    now.instructions[i] = counters.instructions[i];
    now.blocks[i] = counters.blocks[i];
  }
  now.key_loads = counters.key_loads;
  now.alignment_faults = counters.alignment_faults;
  now.prefetch_faults = counters.prefetch_faults;
  now.control_faults = counters.control_faults;
  now.modelled_clocks = counters.modelled_clocks;
  return now;
}

void reset_padlock_counters() {
  for (std::size_t i = 0; i < 4; ++i) counters.instructions[i] = counters.blocks[i] = 0;
  counters.key_loads = counters.alignment_faults = counters.prefetch_faults = 0;
  counters.control_faults = counters.modelled_clocks = 0;
}

}  // namespace aesgate::emulator

#endif
