#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aesgate::witness {

/// How often each interrupt came, on all CPUs together, by the name at the end of its line in Linux's /proc/interrupts
/// ("caam-jr0", "nvme0q1"); several of one name are added.
using Interrupts = std::map<std::string, std::uint64_t>;
[[nodiscard]] Interrupts parse_interrupts(std::string_view text);

/// The same of this machine, as it is now; empty where there is no such file.
[[nodiscard]] Interrupts interrupts_now();

/// Those that came in between, of devices whose names say that they do cryptography: "caam-jr0: 12".
[[nodiscard]] std::vector<std::string> interrupts_of_cryptography(const Interrupts& before, const Interrupts& after);

}  // namespace aesgate::witness
