#include "explain/read_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace aesgate::explain {
namespace {

std::size_t line_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

}  // namespace

Result<void> read_json(std::string_view text, std::size_t begin, const std::string& name, Reading& reading) {
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(text.substr(begin));
  } catch (const nlohmann::json::parse_error& wrong) {
    const std::size_t byte = begin + (wrong.byte > 0 ? wrong.byte - 1 : 0);
    return error("{}:{}: this begins as JSON and is none from here on; is the file complete?", name,
                 line_of(text, byte));
  } catch (const nlohmann::json::exception&) {  // a number out of range
    return error("{}:{}: a number in this JSON is too large", name, line_of(text, begin));
  }
  const Place place{name, line_of(text, begin)};
  if (document.is_array()) return read_botan(document, place, reading);
  if (document.contains("aesgate")) return read_aesgate(document, place, reading);
  return error("{}: JSON that is of neither botan speed nor aesgate", place.text());
}

}  // namespace aesgate::explain
