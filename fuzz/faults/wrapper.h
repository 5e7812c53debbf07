#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/aesgate_backend.h"
#include "fuzz/faults/fault.h"

// From a few lines to a backend: each fault is a struct that inherits Good and replaces the hook in which it is wrong.
// All else goes to a backend that is right.
//
//     struct LastOfSixUnwritten : Good {
//       static void after(Call c) { … }
//     };
//     AESGATE_FAULT("fault-last-of-six-unwritten", LastOfSixUnwritten, "OpenSSL CVE-2022-2097", "what is wrong");

namespace aesgate::faults {

using Byte = std::uint8_t;

/// The backend that is right and that every fault spoils: ttable.
[[nodiscard]] const aesgate_backend& good();

/// Message: what a fault's context holds in front of the good backend's own.
struct alignas(64) Message {
  aesgate_shape shape;
  aesgate_update_fn good_update;
  Byte key[32], iv[16];  // copies of what start() or restart() was given
  std::size_t calls;     // of update() that came back with AESGATE_OK, in this message
  std::size_t done;      // units of this message
  const Byte* kept;      // for faults that keep a pointer; null at the start
  void* handle;          // for what lives elsewhere; null at the start
  std::size_t note;      // for faults that remember; 0 at the start
  std::size_t unset;     // whatever the memory held: start() never touches it

  [[nodiscard]] void* good_context() { return this + 1; }
  [[nodiscard]] const void* good_context() const { return this + 1; }

  [[nodiscard]] bool is(std::uint32_t mode) const { return shape.mode == mode; }
  [[nodiscard]] bool is(std::uint32_t mode, std::uint32_t direction) const {
    return shape.mode == mode && shape.direction == direction;
  }
  /// CFB128 and OFB: bytes of the block under way that are done.
  [[nodiscard]] std::size_t carried() const { return done % 16; }

  // The good backend's functions on this message.
  int start(const Byte* with_key, const Byte* with_iv) {
    return good().start(&good(), good_context(), &shape, with_key, with_iv);
  }
  int update(const Byte* in, Byte* out, std::size_t length) { return good_update(good_context(), in, out, length); }
  int restart(const Byte* with_iv) { return good().restart(good_context(), with_iv); }
  int chaining_value(Byte* value) const { return good().chaining_value(good_context(), value); }
  void finish() {
    good().finish(good_context());
    wipe();
  }
  void wipe() {
    std::memset(static_cast<void*>(this), 0, sizeof *this);
    asm volatile("" : : "r"(this) : "memory");
  }

  /// What goes on after the next call depends on this: another chaining value, in the middle of no block.
  void spoil_chain() {
    Byte value[16];
    if (chaining_value(value) != AESGATE_OK) return;
    value[3] ^= 4;
    (void)restart(value);
  }
};

/// Call: one call of update().
struct Call {
  Message& m;
  const Byte* in;
  Byte* out;
  std::size_t n;  // its length, in units

  [[nodiscard]] bool is(std::uint32_t mode) const { return m.is(mode); }
  [[nodiscard]] bool is(std::uint32_t mode, std::uint32_t direction) const { return m.is(mode, direction); }
  [[nodiscard]] std::size_t bytes() const { return is(AESGATE_CFB1) ? n / 8 + (n % 8 != 0) : n; }
  [[nodiscard]] std::size_t blocks() const { return n / 16; }
  [[nodiscard]] bool in_place() const { return in == out; }

  [[nodiscard]] int run() const { return m.update(in, out, n); }

  /// Spoils a byte of the output, in CFB1 its first bit.
  void flip(std::size_t at) const { out[at] = static_cast<Byte>(out[at] ^ (is(AESGATE_CFB1) ? 0x80 : 0x01)); }
};

[[nodiscard]] inline std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// A read that no compiler removes.
inline Byte touch(const Byte* pointer) { return *static_cast<const volatile Byte*>(pointer); }

/// Hooks that spoil nothing.
struct Good {
  static constexpr const char* unit = "none";
  static constexpr const char* needs = "";
  static constexpr const char* twin = "";
  static constexpr std::size_t context_align = 64;
  static constexpr std::size_t extra_context = 0;  // bytes behind the good backend's context
  static constexpr bool has_restart = true, has_chaining_value = true;

  static int probe(char* /*reason*/, std::size_t /*size*/) { return AESGATE_OK; }
  static bool supports(const aesgate_shape& /*shape*/) { return true; }

  static int start(Message& m, const Byte* key, const Byte* iv) { return m.start(key, iv); }
  /// Before and after update(); `after` where it came back with AESGATE_OK and the length was not 0.
  static void before(Call /*call*/) {}
  static int update(Call call) { return call.run(); }
  static void after(Call /*call*/) {}
  static int restart(Message& m, const Byte* iv) { return m.restart(iv); }
  static int chaining_value(const Message& m, Byte* value) { return m.chaining_value(value); }
  static void finish(Message& m) { m.finish(); }
};

/// The functions of aesgate_backend.h over a fault's hooks.
template <typename Hooks>
struct Functions {
  /// Contexts that ask for less alignment than a Message has lie behind a gap.
  static Message& message(void* context) {
    return *reinterpret_cast<Message*>((address(context) + alignof(Message) - 1) & ~(alignof(Message) - 1));
  }

  static int probe(const aesgate_backend* /*self*/, char* reason, std::size_t size) {
    return Hooks::probe(reason, size);
  }

  static aesgate_update_fn update_for(const aesgate_backend* /*self*/, const aesgate_shape* shape) {
    if (!Hooks::supports(*shape) || good().update_for(&good(), shape) == nullptr) return nullptr;
    if constexpr (requires { Hooks::entry; })
      return Hooks::entry;
    else
      return update;
  }

  static std::size_t context_size(const aesgate_backend* /*self*/, const aesgate_shape* shape) {
    const std::size_t gap = Hooks::context_align < alignof(Message) ? alignof(Message) - 1 : 0;
    return gap + sizeof(Message) + good().context_size(&good(), shape) + Hooks::extra_context;
  }

  static int start(const aesgate_backend* /*self*/, void* context, const aesgate_shape* shape, const Byte* key,
                   const Byte* iv) {
    Message& m = message(context);
    m.shape = *shape;
    m.good_update = good().update_for(&good(), shape);
    std::memcpy(m.key, key, shape->key_bits / 8);
    m.kept = nullptr;
    m.handle = nullptr;
    m.note = 0;
    begin(m, iv);
    return Hooks::start(m, key, iv);
  }

  static int update(void* context, const Byte* in, Byte* out, std::size_t length) {
    const Call call{message(context), in, out, length};
    Hooks::before(call);
    const int status = Hooks::update(call);
    if (status != AESGATE_OK) return status;
    if (length != 0) Hooks::after(call);
    ++call.m.calls;
    call.m.done += length;
    return status;
  }

  static int restart(void* context, const Byte* iv) {
    Message& m = message(context);
    begin(m, iv);
    return Hooks::restart(m, iv);
  }

  static int chaining_value(const void* context, Byte* value) {
    return Hooks::chaining_value(message(const_cast<void*>(context)), value);
  }

  static void finish(void* context) { Hooks::finish(message(context)); }

 private:
  static void begin(Message& m, const Byte* iv) {
    m.calls = m.done = 0;
    if (m.shape.mode != AESGATE_ECB) std::memcpy(m.iv, iv, sizeof m.iv);
  }
};

template <typename Hooks>
constexpr Fault make(const char* name, const char* group, const char* report, const char* description) {
  using F = Functions<Hooks>;
  return {
      .backend = {.abi_version = AESGATE_ABI_VERSION,
                  .struct_size = sizeof(aesgate_backend),
                  .name = name,
                  .kind = "software",
                  .unit = Hooks::unit,
                  .description = description,
                  .data = nullptr,
                  .configure = nullptr,
                  .probe = F::probe,
                  .update_for = F::update_for,
                  .context_size = F::context_size,
                  .context_align = Hooks::context_align,
                  .start = F::start,
                  .restart = Hooks::has_restart ? F::restart : nullptr,
                  .chaining_value = Hooks::has_chaining_value ? F::chaining_value : nullptr,
                  .finish = F::finish},
      .group = group,
      .report = report,
      .needs = Hooks::needs,
      .twin = Hooks::twin,
  };
}

/// Puts a fault on the list of the plugin, which is data in a section, as that of the built-in backends. Each file
/// names its `group`.
#define AESGATE_FAULT(name, hooks, report, description)                                                          \
  static constexpr ::aesgate::faults::Fault fault_##hooks =                                                      \
      ::aesgate::faults::make<hooks>(name, group, report, description);                                          \
  __attribute__((section("aesgate_faults"), used)) static const ::aesgate::faults::Fault* const listed_##hooks = \
      &fault_##hooks

}  // namespace aesgate::faults
