#pragma once

#include <array>
#include <cstdint>

#include "core/result.h"

// The PadLock unit of VIA's and Zhaoxin's CPUs, for CPUs that lack it: its instructions are undefined there, and a
// handler for SIGILL does what the unit would. CPUID cannot be changed, so that a program which asks it, such as
// OpenSSL's engine, still finds no unit.
//
// What is emulated is the instruction F3 0F A7 C8, D0, E0 or E8 (xcrypt-ecb, -cbc, -cfb, -ofb), F3 repeated or not:
//  - Addresses that are no multiple of 16 raise a general protection fault, memory that is not there a page fault:
//    SIGSEGV, as the CPU reports it, since the emulator makes the same accesses.
//  - The unit fetches ahead of its source in ECB and CBC, also past its end.
//  - It reads sixteen round keys and keeps them. A key stays in use, whatever RBX points to, until EFLAGS is written
//  to.
//    The flag for this, EFLAGS[30], does not exist on other CPUs, and neither POPF nor what it changes can be seen from
//    a handler. So a key counts as reloaded where the two bytes right before the instruction are PUSHF and POPF, and in
//    a thread's first use. This is stricter than the unit, which also reloads after every interrupt, and than a driver
//    that reloads elsewhere: that one would wrongly be seen to use a stale key.
//  - With software's schedule the keys are used as they lie in memory, the inverse cipher's as FIPS-197 section 5.3.5
//  has
//    them. ECB and CBC decrypt with the inverse cipher, and so does OFB if the control word says decrypt, to no good
//    end.
//  - Where VIA says nothing of what happens, a general protection fault does: with a key of 192 or 256 bits and no
//    software schedule, an algorithm other than 0, no round, a key size of 3.
// Not emulated: the order of reads and writes where source and target overlap without being equal.

namespace aesgate::emulator {

#if defined(__x86_64__) && defined(__linux__)
inline constexpr bool padlock_is_built = true;
#else
inline constexpr bool padlock_is_built = false;
#endif

/// Where RAX points after CFB and OFB, which is not documented.
enum class ChainPointer {
  as_in_cbc,  // to the last block of the target in CFB encryption, else to where it did, with the value put there
  stays       // to where it did, with the value put there
};

struct PadlockOptions {
  ChainPointer chain_pointer = ChainPointer::as_in_cbc;
  unsigned ecb_ahead = 2;  // blocks fetched ahead; 8 and 4 on Nano stepping 2
  unsigned cbc_ahead = 1;
};

enum class PadlockMode { ecb, cbc, cfb, ofb };

/// What the unit did, in all threads.
struct PadlockCounters {
  std::array<std::uint64_t, 4> instructions{};  // by PadlockMode
  std::array<std::uint64_t, 4> blocks{};
  std::uint64_t key_loads = 0;
  std::uint64_t alignment_faults = 0;
  std::uint64_t prefetch_faults = 0;  // page faults beyond the end of a source
  std::uint64_t control_faults = 0;   // control words that mean nothing

  /// Two clocks a round, and one while the unit is a full pipeline, which is from ECB's second block on: 20 and 10 a
  /// block in AES-128, as published; 22.7 and 10.5 were measured on 8 KiB at 1.2 GHz. A model, not a measurement: label
  /// it as modelled.
  std::uint64_t modelled_clocks = 0;
};

/// Switches the emulator on. An Error if this is no x86-64 CPU under Linux, or one that has the unit. Its handler
/// goes before those that are there: core/trap.h's, which it installs first if need be, a fuzzer's, a sanitizer's.
/// These get every SIGILL that is not about the unit, and it ends the process if there are none. A handler that comes
/// later goes before this one.
[[nodiscard]] Result<void> install_padlock();
[[nodiscard]] bool padlock_is_installed();

/// For tests: switches it off, while no thread uses the unit and no later handler is there.
void remove_padlock();

/// For tests. Options and counters are those of the process, not of a thread; set them while no unit runs.
void set_padlock_options(const PadlockOptions& options);
[[nodiscard]] PadlockCounters padlock_counters();
void reset_padlock_counters();

}  // namespace aesgate::emulator
