#include "witness/burst.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <utility>

#include <elf.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "witness/traced_call.h"

namespace aesgate::witness {

#if defined(__x86_64__)
namespace {

/// A pass through the rounds of a serial mode is some 15 instructions, so that this sees several.
constexpr unsigned usual_steps = 48;
/// One through those of 8 or 16 blocks at a time is 100 to 300; needed a few times only.
constexpr unsigned most_steps = 400;
constexpr std::uint64_t enough_rounds = 8;

constexpr std::uint64_t trap_flag = 0x100;
constexpr std::uint64_t trap_bit = std::uint64_t{1} << (SIGTRAP - 1);
constexpr int get_signal_mask = 0x420a, set_signal_mask = 0x420b;  // ptrace(2), PTRACE_GETSIGMASK

long request(int what, pid_t thread, std::uintptr_t address, void* data) {
  return ptrace(static_cast<__ptrace_request>(what), thread, reinterpret_cast<void*>(address), data);
}

/// Does a step over this instruction change what the program sees? System calls may block, or start what is not to be
/// stepped; PUSHF stores the trap flag, which a later POPF would set; INT3 and its like make a SIGTRAP of their own.
bool must_not_be_stepped(std::span<const std::uint8_t> code) {
  std::size_t at = 0;
  const auto is_prefix = [](std::uint8_t byte) {
    return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 || byte == 0x2e ||
           byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65 || (byte & 0xf0) == 0x40;
  };
  while (at < code.size() && is_prefix(code[at])) ++at;
  if (at + 1 >= code.size()) return true;
  switch (code[at]) {
    case 0x0f: return code[at + 1] == 0x05 || code[at + 1] == 0x34;  // SYSCALL, SYSENTER
    case 0x9c:                                                       // PUSHF
    case 0x9d:                                                       // POPF
    case 0xcc:                                                       // INT3
    case 0xcd:                                                       // INT
    case 0xcf:                                                       // IRET
    case 0xf1: return true;                                          // INT1
    default: return false;
  }
}

/// Signals of a thread, from /proc/PID/status.
struct Signals {
  std::uint64_t pending = 0, of_process = 0, blocked = 0, ignored = 0;

  explicit Signals(pid_t thread) {
    std::ifstream status(fmt::format("/proc/{}/status", thread));
    for (std::string line; std::getline(status, line);) {
      std::sscanf(line.c_str(), "SigPnd: %lx", &pending);
      std::sscanf(line.c_str(), "ShdPnd: %lx", &of_process);
      std::sscanf(line.c_str(), "SigBlk: %lx", &blocked);
      if (std::sscanf(line.c_str(), "SigIgn: %lx", &ignored) == 1) return;
    }
  }
  [[nodiscard]] bool will_be_delivered() const { return ((pending | of_process) & ~blocked) != 0; }
};

/// Is this the result of a call that a stop has interrupted? EINTR, or one of those that only the kernel sees and by
/// which it takes a call up again (ERESTARTSYS to ERESTART_RESTARTBLOCK).
bool is_cut_short(std::int64_t result) { return result == -EINTR || (result <= -512 && result >= -516); }

/// Calls that a stop ends early with EINTR, though the program has no handler that ran (signal(7), "Interruption of
/// system calls and library functions by stop signals"); the kernel takes all others up again by itself.
bool is_ended_by_a_stop(std::uint64_t number) {
  switch (number) {
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
#if defined(SYS_epoll_pwait2)
    case SYS_epoll_pwait2:
#endif
    case SYS_io_getevents:
    case SYS_rt_sigtimedwait:
    case SYS_semop:
    case SYS_semtimedop: return true;
    default: return false;
  }
}

/// Has the program make the call again that this stop has ended: SYSCALL is two bytes long.
void take_up_again(pid_t thread, user_regs_struct registers) {
  registers.rax = registers.orig_rax;
  registers.rip -= 2;
  iovec area{&registers, sizeof registers};
  request(PTRACE_SETREGSET, thread, NT_PRSTATUS, &area);
}

}  // namespace

const char* why_no_samples() { return ""; }

Burst::Burst(pid_t process, pid_t thread, CodeMaps& maps, CodeObjects& objects, SampleTally& tally)
    : process_(process), thread_(thread), maps_(&maps), objects_(&objects), tally_(&tally) {}

Burst::Next Burst::begin() {
  user_regs_struct registers{};
  iovec area{&registers, sizeof registers};
  if (request(PTRACE_GETREGSET, thread_, NT_PRSTATUS, &area) != 0) return give_up("registers cannot be read");
  if (area.iov_len != sizeof registers || registers.cs == 0x23) return give_up("it runs 32-bit code");
  const Signals signals(thread_);
  is_after_call_ = static_cast<std::int64_t>(registers.orig_rax) >= 0;
  if (is_after_call_ && is_cut_short(static_cast<std::int64_t>(registers.rax))) {
    ++tally_->in_kernel;
    was_in_call_ = true;
    if (static_cast<std::int64_t>(registers.rax) == -EINTR && is_ended_by_a_stop(registers.orig_rax) &&
        !signals.will_be_delivered())
      take_up_again(thread_, registers);
    end();
    return Next::let_go;
  }
  if ((registers.eflags & trap_flag) != 0) return give_up("it single-steps itself");
  if ((signals.ignored & trap_bit) != 0) return give_up("it ignores SIGTRAP, which a step would change");
  if (!open_trap()) return give_up("its signal mask cannot be read");
  return look();
}

/// A step is a SIGTRAP that cannot be blocked: the kernel would take it from the mask, and set its action back. So it
/// is taken from the mask first, and put there again at the end.
bool Burst::open_trap() {
  std::uint64_t mask = 0;
  if (request(get_signal_mask, thread_, sizeof mask, &mask) != 0) return false;
  if ((mask & trap_bit) == 0) return true;
  std::uint64_t open = mask & ~trap_bit;
  if (request(set_signal_mask, thread_, sizeof open, &open) != 0) return false;
  blocked_signals_ = mask;
  return true;
}

Burst::Next Burst::look() {
  const std::uint64_t before = ahead_.address;
  errno = 0;
  const long address =
      request(PTRACE_PEEKUSER, thread_, offsetof(user, regs) + offsetof(user_regs_struct, rip), nullptr);
  if (errno != 0) return give_up("registers cannot be read");
  ahead_.address = static_cast<std::uint64_t>(address);
  // An instruction that repeats itself is no other one.
  if (steps_ != 0 && ahead_.address == before) {
    end();
    return Next::let_go;
  }
  std::array<std::uint8_t, 16> code{};
  const std::size_t size = read_memory(process_, ahead_.address, code.data(), code.size());
  if (size == 0 && steps_ == 0) return give_up("its code cannot be read");
  ahead_.opcode = aes_opcode({code.data(), size});
  ahead_.spot.reset();
  if (ahead_.opcode.is_aes() || steps_ == 0) ahead_.spot = maps_->find(process_, ahead_.address, *objects_);
  if (steps_ == 0) count_sample();
  if (size == 0 || must_not_be_stepped({code.data(), size}) || is_long_enough()) {
    end();
    return Next::let_go;
  }
  return Next::step;
}

bool Burst::is_long_enough() const {
  if (steps_ < usual_steps) return false;
  if (steps_ >= most_steps || aes_objects_.empty() || found_rounds_ != 0) return true;
  std::uint64_t known = 0;
  for (const auto& [rounds, times] : tally_->objects[*aes_objects_.begin()].rounds) known += times;
  return known >= enough_rounds;
}

Burst::Next Burst::stepped() {
  count();
  return look();
}

void Burst::count_sample() {
  ++tally_->samples;
  if (is_after_call_) ++tally_->after_calls;
  if (!ahead_.spot) return;
  ObjectTally& object = tally_->objects[ahead_.spot->object];
  ++object.samples;
  ++object.begins[ahead_.spot->offset];
}

void Burst::count() {
  ++steps_;
  ++tally_->instructions;
  if (!ahead_.opcode.is_aes()) return;
  ++tally_->aes_instructions;
  if (!ahead_.spot) return;
  ObjectTally& object = tally_->objects[ahead_.spot->object];
  AesSite& site = object.aes[ahead_.spot->offset];
  site.opcode = ahead_.opcode;
  ++site.executed;
  if (aes_objects_.empty()) ++tally_->aes_samples;
  if (aes_objects_.insert(ahead_.spot->object).second) ++object.aes_samples;
  if (const auto rounds = rounds_.add(ahead_.opcode)) {
    ++object.rounds[*rounds];
    ++found_rounds_;
  }
  if (!std::exchange(saw_cipher_, rounds_.saw_cipher()) && saw_cipher_) ++object.cipher_samples;
}

Burst::Next Burst::give_up(const char* why) {
  ++tally_->not_stepped[why];
  end();
  return Next::let_go;
}

void Burst::end() {
  if (std::exchange(over_, true)) return;
  if (blocked_signals_) request(set_signal_mask, thread_, sizeof *blocked_signals_, &*blocked_signals_);
  took_ = std::chrono::steady_clock::now() - began_;
  tally_->held_seconds += std::chrono::duration<double>(took_).count();
}
#else
const char* why_no_samples() { return "aesgate finds AES instructions by sampling on x86-64 only"; }

Burst::Burst(pid_t process, pid_t thread, CodeMaps& maps, CodeObjects& objects, SampleTally& tally)
    : process_(process), thread_(thread), maps_(&maps), objects_(&objects), tally_(&tally) {}
Burst::Next Burst::begin() { return Next::let_go; }
Burst::Next Burst::stepped() { return Next::let_go; }
void Burst::end() {}
#endif

}  // namespace aesgate::witness
