// Right, in ways that are rare and allowed: whoever calls one of these faulty is wrong.

#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "clean";
constexpr const char* control = "no fault";

/// Compared with itself, as the faults that are slow are with it: whoever calls it slow is wrong too.
struct Plain : Good {
  static constexpr const char* twin = "clean-plain";
};
AESGATE_FAULT("clean-plain", Plain, control, "the good backend, behind the code that all faults share");

struct AlignOne : Good {
  static constexpr std::size_t context_align = 1;
};
AESGATE_FAULT("clean-context-align-1", AlignOne, control, "contexts of any alignment");

struct AlignPage : Good {
  static constexpr std::size_t context_align = 4096;
  static int start(Message& m, const Byte* key, const Byte* iv) {
    return address(&m) % context_align == 0 ? m.start(key, iv) : int{AESGATE_FAILED};
  }
};
AESGATE_FAULT("clean-context-align-4096", AlignPage, control,
              "contexts that begin a page, and fails where they do not");

struct Huge : Good {
  static constexpr std::size_t extra_context = std::size_t{1} << 20;
  static void finish(Message& m) {
    Byte* const end = static_cast<Byte*>(m.good_context()) + good().context_size(&good(), &m.shape);
    end[extra_context - 1] = 1;
    m.finish();
  }
};
AESGATE_FAULT("clean-context-of-a-mebibyte", Huge, control, "contexts of a mebibyte, written to the end");

struct NoRestart : Good {
  static constexpr bool has_restart = false;
};
AESGATE_FAULT("clean-no-restart", NoRestart, control, "restart is null");

struct NoChainingValue : Good {
  static constexpr bool has_chaining_value = false;
};
AESGATE_FAULT("clean-no-chaining-value", NoChainingValue, control, "chaining_value is null");

struct Neither : Good {
  static constexpr bool has_restart = false, has_chaining_value = false;
};
AESGATE_FAULT("clean-neither", Neither, control, "restart and chaining_value are null");

struct Slow : Good {
  static void after(Call /*call*/) {
    for (int i = 0; i < 100'000; ++i) asm volatile("" : : : "memory");
  }
};
AESGATE_FAULT("clean-slow", Slow, control, "every call takes some thirty microseconds more");

struct EcbOnly : Good {
  static bool supports(const aesgate_shape& shape) { return shape.mode == AESGATE_ECB && shape.key_bits == 128; }
};
AESGATE_FAULT("clean-ecb-128-only", EcbOnly, control, "ECB with 128-bit keys and nothing else");

struct SomeShapes : Good {
  static bool supports(const aesgate_shape& shape) {
    return shape.key_bits != 192 && shape.direction == AESGATE_ENCRYPT;
  }
};
AESGATE_FAULT("clean-some-shapes", SomeShapes, control, "encryption only, and no 192-bit key");

struct Bounces : Good {
  static int update(Call c) {
    if (address(c.in) % 64 == 0 && address(c.out) % 64 == 0) return c.run();
    alignas(64) Byte in[256], out[256];
    std::size_t step = is_bits(c) ? 8 * sizeof in : sizeof in;
    int status = AESGATE_OK;
    if (c.n == 0 || !takes(c)) return c.run();
    for (std::size_t at = 0; at < c.n && status == AESGATE_OK; at += step) {
      step = c.n - at < step ? c.n - at : step;
      const std::size_t first = is_bits(c) ? at / 8 : at;
      const std::size_t bytes = is_bits(c) ? (step + 7) / 8 : step;
      std::memcpy(in, c.in + first, bytes);
      std::memcpy(out, c.out + first, bytes);  // bits past the end stay
      status = c.m.update(in, out, step);
      std::memcpy(c.out + first, out, bytes);
    }
    return status;
  }
  static bool is_bits(Call c) { return c.is(AESGATE_CFB1); }
  static bool takes(Call c) { return !(c.is(AESGATE_ECB) || c.is(AESGATE_CBC)) || c.n % 16 == 0; }
};
AESGATE_FAULT("clean-bounces", Bounces, control, "misaligned data goes through aligned buffers of its own");

/// The context is a handle.
struct OnHeap : Good {
  static constexpr std::size_t alignment = 64;
  static Message* of(const Message& m) { return static_cast<Message*>(m.handle); }
  static int start(Message& m, const Byte* key, const Byte* iv) {
    const std::size_t size = sizeof(Message) + good().context_size(&good(), &m.shape);
    m.handle = ::operator new(size, std::align_val_t(alignment), std::nothrow);
    if (m.handle == nullptr) return AESGATE_FAILED;
    of(m)->shape = m.shape;
    of(m)->good_update = m.good_update;
    return of(m)->start(key, iv);
  }
  static int update(Call c) { return of(c.m)->update(c.in, c.out, c.n); }
  static int restart(Message& m, const Byte* iv) { return of(m)->restart(iv); }
  static int chaining_value(const Message& m, Byte* value) { return of(m)->chaining_value(value); }
  static void finish(Message& m) {
    if (m.handle != nullptr) {
      of(m)->finish();
      ::operator delete(m.handle, std::align_val_t(alignment));
    }
    m.wipe();
  }
};
AESGATE_FAULT("clean-handle", OnHeap, control,
              "a context is a pointer to memory that start() takes and finish() gives back");

struct RestartsFully : Good {
  static int restart(Message& m, const Byte* iv) {
    good().finish(m.good_context());
    return m.start(m.key, iv);
  }
};
AESGATE_FAULT("clean-restart-expands", RestartsFully, control, "restart() expands the key again, from its own copy");

struct Locks : Good {
  static inline std::mutex lock;
  static int update(Call c) {
    const std::lock_guard held(lock);
    return c.run();
  }
};
AESGATE_FAULT("clean-locks", Locks, control, "one call at a time, the others wait");

struct ScribblesOutput : Good {
  static void before(Call c) {
    if (c.in_place() || c.is(AESGATE_CFB1) || ((c.is(AESGATE_ECB) || c.is(AESGATE_CBC)) && c.n % 16 != 0)) return;
    for (std::size_t i = 0; i < c.n; ++i) c.out[i] = static_cast<Byte>(i);
  }
};
AESGATE_FAULT("clean-scribbles-output", ScribblesOutput, control,
              "the output holds something else before it holds the output");

struct ReadsBeforeRefusing : Good {
  static void before(Call c) {
    for (std::size_t i = 0; i < c.bytes(); ++i) touch(c.in + i);
  }
};
AESGATE_FAULT("clean-reads-first", ReadsBeforeRefusing, control,
              "reads all of the input that it is given, and then looks at the length");

struct WipesWithOnes : Good {
  static void finish(Message& m) {
    const std::size_t size = good().context_size(&good(), &m.shape);
    m.finish();
    std::memset(static_cast<void*>(&m), 0xff, sizeof m + size);
    asm volatile("" : : "r"(&m) : "memory");
  }
};
AESGATE_FAULT("clean-wipes-with-ones", WipesWithOnes, control, "finish() leaves ones and not zeros");

struct DeepStack : Good {
  static void after(Call c) {
    volatile Byte frame[192 * 1024];
    for (std::size_t i = 0; i < sizeof frame; i += 4096) frame[i] = static_cast<Byte>(c.n);
  }
};
AESGATE_FAULT("clean-deep-stack", DeepStack, control, "192 KiB of stack");

#if defined(__x86_64__)
/// What a function may leave behind (System V ABI for AMD64, section 3.2.1).
struct ScratchRegisters : Good {
  static void after(Call /*call*/) {
    asm volatile(
        "movl $-1, %%ecx\n\tmovq %%rcx, %%r8\n\tmovq %%rcx, %%r9\n\tmovq %%rcx, %%r10\n\tmovq %%rcx, %%r11\n\t"
        "movq %%rcx, %%rsi\n\tmovq %%rcx, %%rdi\n\tmovq %%rcx, %%xmm0\n\tmovdqa %%xmm0, %%xmm7\n\t"
        "movdqa %%xmm0, %%xmm15\n\tmovd %%ecx, %%mm0\n\temms\n\tstd\n\tcld\n\tstc"
        :
        :
        : "rcx", "r8", "r9", "r10", "r11", "rsi", "rdi", "xmm0", "xmm7", "xmm15", "mm0", "cc");
  }
};
AESGATE_FAULT("clean-scratch-registers", ScratchRegisters, control,
              "registers and flags that are its own are left in any state; MMX and the direction flag are put right");
#endif

}  // namespace
}  // namespace aesgate::faults
