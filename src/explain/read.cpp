#include "explain/read.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/text_file.h"
#include "explain/line_reader.h"
#include "explain/read_json.h"

namespace aesgate::explain {
namespace {

constexpr const char* known =
    "openssl speed (also -mr), botan speed --format=json, bench-slope --csv, kcapi-speed, cryptsetup benchmark, "
    "aesgate perf --json";

/// Where JSON begins, after blank lines and lines with a prompt; nothing if the text is none. What Linux logs begins
/// with "[", too: "[  12.345678] alg: …".
std::optional<std::size_t> find_json(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(at, end - at));
    const bool prompt = line.starts_with("$ ") || line.starts_with("# ") || line.starts_with("% ");
    if (!line.empty() && !prompt) {
      if (line.front() == '{') return at;
      if (line.front() != '[') return std::nullopt;
      const std::string_view rest = trim(line.substr(1));
      return rest.empty() || rest == "\r" || rest.front() == '{' || rest.front() == ']' ? std::optional(at)
                                                                                        : std::nullopt;
    }
    at = end + 1;
  }
  return std::nullopt;
}

Result<void> read_lines(const Text& text, Reading& reading) {
  const std::array readers{openssl_reader(), bench_slope_reader(), kcapi_reader(), cryptsetup_reader(),
                           trouble_reader()};
  for (std::size_t at = 0; at < text.lines.size();) {
    std::size_t taken = 0;
    for (const auto& reader : readers) {
      const auto result = reader->take(text, at);
      if (!result) return tl::unexpected(result.error());
      taken = *result;
      if (taken > 0) break;
    }
    at += std::max<std::size_t>(taken, 1);
  }
  const std::size_t before = reading.runs.size() + reading.troubles.size() + reading.cpus.size();
  for (const auto& reader : readers) reader->finish(reading);
  if (reading.runs.size() + reading.troubles.size() + reading.cpus.size() > before) return {};
  const auto first = std::ranges::find_if(text.lines, [](const Line& line) { return !line.text.empty(); });
  if (first == text.lines.end()) return error("{}:1: the file is empty; known: {}", text.name, known);
  return error("{}:{}: \"{}\": no benchmark output that is known; known: {}", text.name, first->number,
               excerpt(first->text), known);
}

}  // namespace

Result<void> read_text(std::string_view text, const std::string& name, Reading& reading) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return error("{}:{}: byte 0x00: this is no text file", name,
                 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n'));
  if (const auto json = find_json(text)) return read_json(text, *json, name, reading);
  return read_lines({name, clean_lines(text)}, reading);
}

}  // namespace aesgate::explain
