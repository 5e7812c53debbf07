#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace aesgate {

/// AbiBreach: something that a call should have left as it was.
struct AbiBreach {
  std::string what;    // "callee-saved register rbx", "direction flag", …
  std::string detail;  // "expected …, got …"
};

/// AbiRecord: a call, and what was found when it came back. Laid out for the assembly in abi_watch.cpp.
struct AbiRecord {
  void (*function)() = nullptr;
  std::uint64_t arguments[5]{};
  std::uint64_t result = 0;
  std::uint64_t stack_pointer_before = 0;
  std::uint64_t registers[6]{};  // rbx, rbp, r12 to r15
  std::uint64_t stack_pointer = 0;
  std::uint64_t flags = 0;
  std::uint32_t mxcsr_before = 0, mxcsr = 0;
  std::uint16_t x87_control_before = 0, x87_control = 0;
  std::uint32_t options = 0;
  std::uint32_t state_in_use[2]{};  // XINUSE (Intel SDM volume 1, section 13.6), where it can be asked for
  std::uint64_t above[16]{};        // the stack above the return address
  std::uint64_t* stack = nullptr;   // a copy of what the call left below
  std::uint64_t stack_words = 0;
  alignas(16) std::uint8_t fxsave_area[512]{};
};

/// AbiWatch: makes calls as the compiler would, and looks at what the ABI says of them (System V ABI, AMD64 supplement,
/// section 3.2): the callee-saved registers, the stack pointer, the stack above the return address, the direction and
/// alignment check flags,
/// the control bits of MXCSR, the x87 control word and tag word. All of it is put right again, so that a call which
/// broke a rule does no more harm. An exception or siglongjmp() may leave a call. Not for two threads at once. On other
/// architectures than x86-64 the calls are made and nothing is looked at.
class AbiWatch {
 public:
  AbiWatch();

  /// Can this build look?
  [[nodiscard]] static bool available();

  /// function(arguments…), whose arguments are pointers and integers.
  template <typename Return, typename... Parameters, typename... Arguments>
  Return operator()(Return (*function)(Parameters...), Arguments... arguments) {
    static_assert(sizeof...(Parameters) <= 5);
    if (!available()) return function(arguments...);
    record_.function = reinterpret_cast<void (*)()>(function);
    std::size_t i = 0;
    ((record_.arguments[i++] = word(static_cast<Parameters>(arguments))), ...);
    make_call();
    if constexpr (!std::is_void_v<Return>) return static_cast<Return>(record_.result);
  }

  /// What the calls since the last take_breaches() broke, at most one of a kind.
  [[nodiscard]] bool has_breaches() const { return !breaches_.empty(); }
  [[nodiscard]] std::vector<AbiBreach> take_breaches() { return std::move(breaches_); }

  /// Did the last call leave upper halves of vector registers in use? Not wrong, but slow: what follows with legacy SSE
  /// instructions pays for it. Always false where XGETBV does not tell (CPUID.(0xD, 1).EAX[2]).
  [[nodiscard]] bool upper_halves_in_use() const;
  [[nodiscard]] static bool tells_upper_halves();

  /// From now on the stack below is filled before each call, and what it left there is in stack() after it.
  void watch_stack(bool watch);
  /// From the lowest address that was written to, up to the call's return address; empty where it is not watched.
  [[nodiscard]] std::span<const std::uint8_t> stack() const;

 private:
  template <typename T>
  static std::uint64_t word(T value) {
    if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<std::uintptr_t>(value);
    else
      return static_cast<std::uint64_t>(value);
  }

  void make_call();
  void look();

  AbiRecord record_;
  std::vector<AbiBreach> breaches_;
  std::vector<std::uint64_t> stack_;
};

}  // namespace aesgate
