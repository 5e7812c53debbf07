#include "core/calls.h"

#include <fmt/format.h>

namespace aesgate {
namespace {

constexpr std::size_t most_breaches = 8;

}  // namespace

std::string Calls::label(const char* extra) const {
  return extra == nullptr ? outcome_.call : fmt::format("{} after {}", extra, outcome_.call);
}

bool Calls::look(const char* extra) {
  if (outcome_.crash) {
    outcome_.call = label(extra);
    outcome_.status = Status::failed;
    return false;
  }
  if (watch_.has_breaches())
    for (AbiBreach& breach : watch_.take_breaches())
      if (outcome_.breaches.size() < most_breaches)
        outcome_.breaches.push_back({std::move(breach.what), label(extra), std::move(breach.detail)});
  std::string& warning = outcome_.warnings[static_cast<std::size_t>(Warning::upper_halves)];
  if (warning.empty() && watch_.upper_halves_in_use()) warning = label(extra);
  return true;
}

}  // namespace aesgate
