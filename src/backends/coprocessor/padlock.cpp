// VIA's and Zhaoxin's PadLock: a coprocessor behind four instructions.

#include "backends/coprocessor/padlock_driver.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "emulator/emulator.h"

namespace aesgate {
namespace {

using namespace std::string_view_literals;

/// Why this CPU has no unit that can be used; empty if it has. The leaves from C0000000H on are Centaur's and its
/// heir's alone: on others they repeat what another leaf says.
std::string why_no_unit() {
  unsigned eax = 0;
  unsigned words[3] = {};
  if (__get_cpuid(0, &eax, &words[0], &words[2], &words[1]) == 0) return "this CPU has no CPUID";
  const std::string vendor(reinterpret_cast<const char*>(words), sizeof words);
  if (vendor != "CentaurHauls"sv && vendor != "  Shanghai  "sv)
    return fmt::format("only VIA's and Zhaoxin's CPUs have PadLock, and this one is by {}", vendor);
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  __cpuid(0xc0000000, eax, ebx, ecx, edx);
  if (eax < 0xc0000001) return "CPUID.C0000000H:EAX says that there is no leaf C0000001H";
  __cpuid(0xc0000001, eax, ebx, ecx, edx);
  const auto bit = [edx](unsigned i) { return (edx >> i & 1) != 0; };
  if (bit(6) && bit(7)) return {};
  const char* ace2 = bit(8) ? bit(9) ? "ACE2 is there and enabled" : "ACE2 is there, not enabled" : "nor is ACE2 there";
  return fmt::format("CPUID.C0000001H:EDX{} ({})",
                     bit(6) ? "[6] ACE is set, but [7] ACE enabled is not" : "[6] ACE is not set", ace2);
}

int probe(const aesgate_backend* self, char* reason, std::size_t size) {
  if (emulator::is_emulated(*self)) return AESGATE_OK;
  static const std::string why = why_no_unit();
  if (why.empty()) return AESGATE_OK;
  const std::string text = why + "; --emulate padlock runs it in an emulator";
  if (size > 0) reason[text.copy(reason, size - 1)] = '\0';
  return AESGATE_UNAVAILABLE;
}

int start(const aesgate_backend* self, void* context, const aesgate_shape* shape, const std::uint8_t* key,
          const std::uint8_t* iv) {
  const int status = padlock_start(self, context, shape, key, iv);
  return status == AESGATE_OK && probe(self, nullptr, 0) != AESGATE_OK ? AESGATE_UNAVAILABLE : status;
}

constexpr aesgate_backend backend =
    make_padlock<PadlockRules>("padlock", "VIA and Zhaoxin PadLock; CFB1 and CFB8 by the unit's ECB", probe, start);
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate

#else

AESGATE_ELSEWHERE("padlock", "coprocessor", "xcrypt", "VIA and Zhaoxin PadLock; CFB1 and CFB8 by the unit's ECB",
                  "PadLock is a unit of x86 CPUs");

#endif
