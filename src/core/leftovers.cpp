#include "core/leftovers.h"

#include <algorithm>
#include <cstring>

#include "core/splitmix.h"
#include "core/warning.h"

namespace aesgate {
namespace {

constexpr std::size_t looked_at_calls = 4;

bool is_one_value(std::span<const std::uint8_t> memory) {
  return memory.size() < 2 || std::memcmp(memory.data(), memory.data() + 1, memory.size() - 1) == 0;
}

bool contains(ByteView text, std::span<const std::uint8_t> part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end()) != text.end();
}

}  // namespace

const KeyTraces& Leftovers::traces() {
  if (!traces_) traces_.emplace(case_.key);
  return *traces_;
}

std::optional<KeyTraces::Trace> Leftovers::unless_public(std::optional<KeyTraces::Trace> trace,
                                                         std::span<const std::uint8_t> memory,
                                                         const Outcome& outcome) const {
  if (!trace) return std::nullopt;
  // Some published vectors have a key that is the IV, or the data, too.
  const auto found = memory.subspan(trace->offset, trace->size);
  if (contains(case_.iv, found) || contains(case_.input, found) || contains(outcome.output, found)) return std::nullopt;
  return trace;
}

void Leftovers::look_at_context(std::span<const std::uint8_t> context, Outcome& outcome) {
  if (is_one_value(context)) return;
  auto trace = unless_public(traces().find(context), context, outcome);
  if (!trace) trace = unless_public(traces().find_half(context), context, outcome);
  if (trace)
    outcome.breaches.push_back(
        {fmt::format("finish() left {} at byte {} of the context", name(*trace), trace->offset), {}, {}});
}

bool Leftovers::looks_at_stack(std::size_t call) const {
  if (call >= looked_at_calls) return false;
  std::uint64_t sum = splitmix(case_.length) + case_.chunks.size();
  for (const std::uint8_t byte : case_.key.bytes()) sum = 31 * sum + byte;
  return splitmix(sum) % 16 == 0;
}

void Leftovers::look_at_stack(std::span<const std::uint8_t> stack, Outcome& outcome) {
  std::string& warning = outcome.warnings[static_cast<std::size_t>(Warning::key_on_stack)];
  if (!warning.empty() || stack.empty() || !waiver(backend_, Warning::key_on_stack).empty()) return;
  if (const auto trace = unless_public(traces().find(stack), stack, outcome))
    warning = fmt::format("{}: {}", outcome.call, name(*trace));
}

}  // namespace aesgate
