#include "core/abi_watch.h"

#include <algorithm>

#include <fmt/format.h>

#if defined(__x86_64__) && defined(__LP64__) && defined(__ELF__)
#define AESGATE_WATCHES_ABI 1
#include <cpuid.h>
#endif

namespace aesgate {

#ifdef AESGATE_WATCHES_ABI

namespace {

// What callee-saved registers, and the stack, hold during a call. No canonical addresses: who uses one crashes.
constexpr std::array<std::uint64_t, 6> register_values{0xb1b1b1b1b1b1b101, 0xb2b2b2b2b2b2b202, 0xb3b3b3b3b3b3b303,
                                                       0xb4b4b4b4b4b4b404, 0xb5b5b5b5b5b5b505, 0xb6b6b6b6b6b6b606};
constexpr std::array register_names{"rbx", "rbp", "r12", "r13", "r14", "r15"};
constexpr std::uint64_t above_value = 0xc7c7c7c7c7c7c7c7;
constexpr std::uint64_t below_value = 0xd8d8d8d8d8d8d8d8;

constexpr std::uint32_t has_avx = 1, has_xinuse = 2, watches_stack = 4;
constexpr std::size_t watched_words = 512;

// Bits of XCR0 and XINUSE: the XMM registers; the upper halves of YMM registers; those of ZMM0 to ZMM15.
constexpr std::uint32_t sse_state = 1u << 1, avx_state = 1u << 2, zmm_state = 1u << 6;

constexpr std::uint64_t direction_flag = 1u << 10, alignment_check = 1u << 18;
constexpr std::uint32_t mxcsr_control = 0xffc0;  // the rest is status, which is the callee's

// The offsets that the assembly below has.
static_assert(offsetof(AbiRecord, result) == 48 && offsetof(AbiRecord, registers) == 64 &&
              offsetof(AbiRecord, flags) == 120 && offsetof(AbiRecord, mxcsr_before) == 128 &&
              offsetof(AbiRecord, options) == 140 && offsetof(AbiRecord, state_in_use) == 144 &&
              offsetof(AbiRecord, above) == 152 && offsetof(AbiRecord, stack) == 280 &&
              offsetof(AbiRecord, fxsave_area) == 304);

/// Does XGETBV with ECX = 1 follow the upper halves? An emulator may say that all is always in use.
bool xinuse_follows() {
  std::uint32_t clean = 0, dirty = 0;
  asm volatile("vzeroupper; xgetbv; movl %%eax, %0; movl $1, %%ecx; vpcmpeqd %%ymm0, %%ymm0, %%ymm0; xgetbv; vzeroupper"
               : "=&r"(clean), "=a"(dirty)
               : "c"(1)
               : "edx", "xmm0");
  return (clean & avx_state) == 0 && (dirty & avx_state) != 0;
}

std::uint32_t find_cpu_options() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0 || (c & bit_AVX) == 0) return 0;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & (sse_state | avx_state)) != (sse_state | avx_state)) return 0;
  // VPCMPEQD of YMM registers, with which xinuse_follows() tries it, is AVX2.
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & bit_AVX2) == 0) return has_avx;
  if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d) == 0 || (a & 4) == 0) return has_avx;
  return xinuse_follows() ? has_avx | has_xinuse : has_avx;
}

/// Once: CPUID is slow in a virtual machine.
std::uint32_t cpu_options() {
  static const std::uint32_t options = find_cpu_options();
  return options;
}

}  // namespace

// Where the record is when a call comes back, and no register can be trusted. Set for each call.
extern "C" {
[[gnu::tls_model("initial-exec"), gnu::used]] thread_local AbiRecord* aesgate_abi_record = nullptr;
void aesgate_abi_call(AbiRecord* record);
}

// The frame, from below: 128 bytes of above_value, 8 spare ones, the caller's callee-saved registers. An exception that
// leaves the call is unwound by the stack pointer, since the callee's own unwinding restores it.
asm(R"(
  .pushsection .text.aesgate_abi_call, "ax", @progbits
  .p2align 4
  .globl aesgate_abi_call
  .hidden aesgate_abi_call
  .type aesgate_abi_call, @function
aesgate_abi_call:
  .cfi_startproc
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  pushq %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  pushq %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r13, 0
  pushq %r14
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r14, 0
  pushq %r15
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r15, 0
  subq $136, %rsp
  .cfi_adjust_cfa_offset 136
  movq %rdi, %r11
  movabsq $0xc7c7c7c7c7c7c7c7, %rax
  .set aesgate_at, 0
  .rept 16
  movq %rax, aesgate_at(%rsp)
  .set aesgate_at, aesgate_at + 8
  .endr
  stmxcsr 128(%r11)
  fnstcw 136(%r11)
  movq %rsp, 56(%r11)
  cld
  testl $4, 140(%r11)
  jz 1f
  movq 288(%r11), %rcx
  leaq (,%rcx,8), %rax
  movq %rsp, %rdi
  subq %rax, %rdi
  movabsq $0xd8d8d8d8d8d8d8d8, %rax
  rep stosq
1:
  testl $1, 140(%r11)
  jz 2f
  vzeroupper
2:
  movq 0(%r11), %rax
  movq 8(%r11), %rdi
  movq 16(%r11), %rsi
  movq 24(%r11), %rdx
  movq 32(%r11), %rcx
  movq 40(%r11), %r8
  movabsq $0xb1b1b1b1b1b1b101, %rbx
  movabsq $0xb2b2b2b2b2b2b202, %rbp
  movabsq $0xb3b3b3b3b3b3b303, %r12
  movabsq $0xb4b4b4b4b4b4b404, %r13
  movabsq $0xb5b5b5b5b5b5b505, %r14
  movabsq $0xb6b6b6b6b6b6b606, %r15
  call *%rax
  movq aesgate_abi_record@gottpoff(%rip), %r11
  movq %fs:(%r11), %r11
  movq %rax, 48(%r11)
  movq %rbx, 64(%r11)
  movq %rbp, 72(%r11)
  movq %r12, 80(%r11)
  movq %r13, 88(%r11)
  movq %r14, 96(%r11)
  movq %r15, 104(%r11)
  movq %rsp, 112(%r11)
  movq 56(%r11), %rsp
  pushfq
  popq 120(%r11)
  testl $0x40000, 120(%r11)
  jz 8f
  pushq 120(%r11)
  andl $~0x40000, (%rsp)
  popfq
8:
  cld
  testl $4, 140(%r11)
  jz 3f
  movq 288(%r11), %rcx
  leaq (,%rcx,8), %rax
  movq %rsp, %rsi
  subq %rax, %rsi
  movq 280(%r11), %rdi
  rep movsq
3:
  .set aesgate_at, 0
  .rept 16
  movq aesgate_at(%rsp), %rax
  movq %rax, 152 + aesgate_at(%r11)
  .set aesgate_at, aesgate_at + 8
  .endr
  stmxcsr 132(%r11)
  fnstcw 138(%r11)
  fxsave 304(%r11)
  cmpb $0, 308(%r11)
  je 4f
  fninit
4:
  fldcw 136(%r11)
  movl 128(%r11), %eax
  xorl 132(%r11), %eax
  testl $0xffc0, %eax
  jz 5f
  ldmxcsr 128(%r11)
5:
  testl $2, 140(%r11)
  jz 6f
  movl $1, %ecx
  xgetbv
  movl %eax, 144(%r11)
  movl %edx, 148(%r11)
6:
  testl $1, 140(%r11)
  jz 7f
  vzeroupper
7:
  addq $136, %rsp
  .cfi_adjust_cfa_offset -136
  popq %r15
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r15
  popq %r14
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r14
  popq %r13
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r13
  popq %r12
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r12
  popq %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbx
  popq %rbp
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbp
  ret
  .cfi_endproc
  .size aesgate_abi_call, . - aesgate_abi_call
  .popsection
)");

AbiWatch::AbiWatch() { record_.options = cpu_options(); }

bool AbiWatch::available() { return true; }

void AbiWatch::make_call() {
  aesgate_abi_record = &record_;
  aesgate_abi_call(&record_);
  look();
}

void AbiWatch::look() {
  const auto breach = [&](std::string what, std::string detail) {
    const auto same = [&](const AbiBreach& known) { return known.what == what; };
    if (std::ranges::none_of(breaches_, same)) breaches_.push_back({std::move(what), std::move(detail)});
  };
  for (std::size_t i = 0; i < register_values.size(); ++i)
    if (record_.registers[i] != register_values[i])
      breach(fmt::format("callee-saved register {}", register_names[i]),
             fmt::format("expected {:016x}, got {:016x}", register_values[i], record_.registers[i]));
  if (record_.stack_pointer != record_.stack_pointer_before)
    breach("stack pointer",
           fmt::format("expected what it was, got {} bytes more",
                       static_cast<std::int64_t>(record_.stack_pointer - record_.stack_pointer_before)));
  for (std::size_t i = 0; i < std::size(record_.above); ++i)
    if (record_.above[i] != above_value)
      breach("stack above the return address",
             fmt::format("{} bytes above: expected {:016x}, got {:016x}", 8 * i, above_value, record_.above[i]));
  if ((record_.flags & direction_flag) != 0) breach("direction flag", "expected clear, got set");
  if ((record_.flags & alignment_check) != 0) breach("alignment check flag", "expected clear, got set");
  if (((record_.mxcsr ^ record_.mxcsr_before) & mxcsr_control) != 0)
    breach("MXCSR control bits", fmt::format("expected {:04x}, got {:04x}", record_.mxcsr_before & mxcsr_control,
                                             record_.mxcsr & mxcsr_control));
  if (record_.x87_control != record_.x87_control_before)
    breach("x87 control word",
           fmt::format("expected {:04x}, got {:04x}", record_.x87_control_before, record_.x87_control));
  // FXSAVE's abridged form of the tag word: a bit for each register that is not empty.
  if (const std::uint8_t in_use = record_.fxsave_area[4]; in_use != 0)
    breach("x87 tag word", fmt::format("expected all registers empty, got {:02x} in use", in_use));
}

bool AbiWatch::tells_upper_halves() { return (cpu_options() & has_xinuse) != 0; }

bool AbiWatch::upper_halves_in_use() const {
  // Not ZMM16 to ZMM31, which no SSE instruction has.
  return (record_.options & has_xinuse) != 0 && (record_.state_in_use[0] & (avx_state | zmm_state)) != 0;
}

void AbiWatch::watch_stack(bool watch) {
  stack_.assign(watch ? watched_words : 0, below_value);
  record_.stack = stack_.data();
  record_.stack_words = stack_.size();
  record_.options = watch ? record_.options | watches_stack : record_.options & ~watches_stack;
}

std::span<const std::uint8_t> AbiWatch::stack() const {
  std::span<const std::uint64_t> words = stack_;
  while (!words.empty() && words.front() == below_value) words = words.subspan(1);
  return {reinterpret_cast<const std::uint8_t*>(words.data()), words.size_bytes()};
}

#else

AbiWatch::AbiWatch() = default;
bool AbiWatch::available() { return false; }
void AbiWatch::make_call() {}
void AbiWatch::look() {}
bool AbiWatch::upper_halves_in_use() const { return false; }
bool AbiWatch::tells_upper_halves() { return false; }
void AbiWatch::watch_stack(bool) {}
std::span<const std::uint8_t> AbiWatch::stack() const { return {}; }

#endif

}  // namespace aesgate
