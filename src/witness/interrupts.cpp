#include "witness/interrupts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "core/text_file.h"

namespace aesgate::witness {
namespace {

/// Parts of the names of Linux's drivers for cryptographic hardware, below drivers/crypto.
constexpr std::array names{"caam",  "talitos", "cesa", "safexcel", "eip", "crypt",    "cryp",     "ccp", "qat",
                           "dh895", "aes",     "dcp",  "sahara",   "ss-", "omap-aes", "hisi_sec", "nx-", "zip"};

bool does_cryptography(std::string_view name) {
  return std::ranges::any_of(names, [&](std::string_view part) { return name.find(part) != name.npos; });
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(line, ' '))
    if (!word.empty()) words.push_back(word);
  return words;
}

}  // namespace

Interrupts parse_interrupts(std::string_view text) {
  Interrupts interrupts;
  for (const std::string_view line : split(text, '\n')) {
    // "  24:     12      0   GICv2  105 Level     caam-jr0": a number a CPU, and then words.
    const auto words = words_of(line);
    if (words.size() < 3 || !words[0].ends_with(':')) continue;
    std::uint64_t all = 0;
    std::size_t at = 1;
    for (; at < words.size(); ++at) {
      std::uint64_t count = 0;
      const auto [end, wrong] = std::from_chars(words[at].begin(), words[at].end(), count);
      if (wrong != std::errc() || end != words[at].end()) break;
      all += count;
    }
    if (at < words.size()) interrupts[std::string(words.back())] += all;
  }
  return interrupts;
}

Interrupts interrupts_now() {
  std::ifstream file("/proc/interrupts");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_interrupts(text.str());
}

std::vector<std::string> interrupts_of_cryptography(const Interrupts& before, const Interrupts& after) {
  std::vector<std::string> found;
  for (const auto& [name, count] : after) {
    const auto known = before.find(name);
    const std::uint64_t earlier = known == before.end() ? 0 : known->second;
    if (count > earlier && does_cryptography(name)) found.push_back(fmt::format("{}: {}", name, count - earlier));
  }
  return found;
}

}  // namespace aesgate::witness
