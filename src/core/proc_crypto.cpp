#include "core/proc_crypto.h"

#include <charconv>

namespace aesgate {
namespace {

Result<void> set(KernelDriver& entry, std::string_view name, std::string_view value, const TextReader& reader) {
  if (name == "name") entry.algorithm = value;
  if (name == "driver") entry.driver = value;
  if (name == "module") entry.module = value;
  if (name == "type") entry.type = value;
  if (name == "internal") entry.internal = value == "yes";
  if (name == "priority") {
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), entry.priority);
    if (failure != std::errc() || end != value.data() + value.size())
      return reader.error_here("priority \"{}\" is no number", excerpt(value));
  }
  return {};
}

}  // namespace

Result<std::vector<KernelDriver>> parse_kernel_drivers(TextReader reader) {
  std::vector<KernelDriver> drivers;
  KernelDriver entry;
  bool begun = false;
  for (;;) {
    const auto line = reader.next();
    if (!line) return tl::unexpected(line.error());
    const std::string_view text = *line ? trim(**line) : std::string_view();
    if (text.empty() && begun) {  // an empty line, and the end of the file, end an entry
      if (entry.algorithm.empty() || entry.driver.empty())
        return reader.error_here("an entry ends without a name or a driver");
      drivers.push_back(std::exchange(entry, {}));
      begun = false;
    }
    if (!*line) return drivers;
    if (text.empty()) continue;
    begun = true;
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return reader.error_here("\"{}\" has no colon", excerpt(text));
    if (auto ok = set(entry, trim(text.substr(0, colon)), trim(text.substr(colon + 1)), reader); !ok)
      return tl::unexpected(ok.error());
  }
}

Result<std::vector<KernelDriver>> kernel_drivers() {
  auto reader = TextReader::open("/proc/crypto");
  if (!reader) return tl::unexpected(reader.error());
  return parse_kernel_drivers(*std::move(reader));
}

const KernelDriver* serving_driver(const std::vector<KernelDriver>& drivers, std::string_view cipher) {
  const KernelDriver* best = nullptr;
  for (const KernelDriver& driver : drivers) {
    if (driver.internal || (driver.algorithm != cipher && driver.driver != cipher)) continue;
    if (driver.type != "skcipher" && driver.type != "lskcipher" && driver.type != "ablkcipher" &&
        driver.type != "blkcipher" && driver.type != "givcipher")
      continue;
    if (best == nullptr || driver.priority > best->priority) best = &driver;
  }
  return best;
}

}  // namespace aesgate
