// What the text says of the CPU: whether it shows its AES instructions.

#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "explain/explanation.h"
#include "explain/words.h"

namespace aesgate::explain {
namespace {

// OPENSSL_ia32cap(3): the first word is EDX and ECX of CPUID leaf 1; OPENSSL_armcap: crypto/arm_arch.h.
constexpr unsigned x86_aes = 32 + 25, x86_hypervisor = 32 + 31, arm_aes = 2;

/// The number after "NAME=0x"; nothing if there is none.
std::optional<std::uint64_t> word_of(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + name.size());
  std::uint64_t word = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), word, 16);
  return status == std::errc() ? std::optional(word) : std::nullopt;
}

bool bit(std::uint64_t word, unsigned at) { return (word >> at & 1) != 0; }

struct Seen {
  Place place;
  bool aes = false, hypervisor = false, masked = false, arm = false;
};

std::optional<Seen> seen_by_openssl(const Invocation& said) {
  Seen seen{said.cpu_info_place};
  seen.masked = mentions(said.cpu_info, "env:");
  if (const auto word = word_of(said.cpu_info, "OPENSSL_ia32cap=0x")) {
    seen.aes = bit(*word, x86_aes);
    seen.hypervisor = bit(*word, x86_hypervisor);
    return seen;
  }
  if (const auto word = word_of(said.cpu_info, "OPENSSL_armcap=0x")) {
    seen.aes = bit(*word, arm_aes);
    seen.arm = true;
    return seen;
  }
  return std::nullopt;
}

void explain_hidden(Explanation& out, const Seen& seen) {
  out.fact("cpu-hidden",
           fmt::format("{}: the CPU shows no AES instructions ({}){}", seen.place.text(),
                       seen.arm ? "bit 2 of OPENSSL_armcap" : "bit 25 of ECX in CPUID leaf 1, the flag \"aes\"",
                       seen.hypervisor ? ", and a hypervisor is there" : ""));
  out.infer("cpu-hidden", Sure::very_likely,
            "AES ran in software, whatever the CPU could do: a library asks for that flag and for nothing else");
  if (seen.masked)
    out.cause("cpu-hidden", Sure::very_likely, "the environment masks it: OPENSSL_ia32cap or OPENSSL_armcap is set");
  else if (seen.hypervisor)
    out.cause("cpu-hidden", Sure::likely,
              "the virtual machine hides it: give the guest the host's CPU model (QEMU: -cpu host), or one with AES");
  else
    out.cause("cpu-hidden", Sure::possible, "the CPU has none, or the firmware switched them off");
  out.run_next("grep -m1 -o -w -e aes -e hypervisor /proc/cpuinfo");
  out.run_next("aesgate list --backend aesni");
}

}  // namespace

void find_cpu(Explanation& out) {
  std::optional<Seen> hidden, shown;
  for (const Subject& subject : out.subjects)
    if (const auto seen = seen_by_openssl(subject.run->invocation)) (seen->aes ? shown : hidden) = seen;
  for (const CpuFlags& cpu : out.reading->cpus) {
    const Seen seen{cpu.place, cpu.aes, cpu.hypervisor};
    (cpu.aes ? shown : hidden) = seen;
  }
  if (hidden) explain_hidden(out, *hidden);
  if (shown && !out.subjects.empty())
    out.fact("cpu-aes", fmt::format("{}: the CPU shows its AES instructions", shown->place.text()));
}

}  // namespace aesgate::explain
