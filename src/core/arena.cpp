#include "core/arena.h"

#include <fmt/format.h>

namespace aesgate {
namespace {

constexpr std::size_t small_input = 12 * 1024;

}  // namespace

std::string Arena::place_of(const void* address) {
  for (const auto& [name, buffer] : all()) {
    const auto offset = buffer.offset_of(address);
    if (!offset) continue;
    const auto past = *offset - static_cast<std::ptrdiff_t>(buffer.placed().size());
    return past >= 0 ? fmt::format("{} {} past the end of the {}", past + 1, past == 0 ? "byte" : "bytes", name)
                     : fmt::format("at byte {} of the {}", *offset, name);
  }
  return {};
}

Arena& this_threads_arena(std::size_t input_bytes) {
  thread_local Arena small, large;
  return input_bytes <= small_input ? small : large;
}

}  // namespace aesgate
