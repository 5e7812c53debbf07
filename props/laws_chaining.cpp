#include "core/message.h"
#include "laws.h"
#include "units.h"

// Laws about the chaining value: what one call leaves to the next.

namespace aesgate::props {
namespace {

bool everywhere(const Shape&) { return true; }
bool with_iv(const Shape& shape) { return has_iv(shape.mode); }

std::string chaining_value_follows(Trial& trial, const Draft& draft) {
  const Run& run = trial.run(handled_case(draft));
  if (run.outcome.chaining_values.empty()) trial.not_applicable("this backend does not tell its chaining value");
  for (const ChainingValue& said : run.outcome.chaining_values) {
    const auto expected = chaining_value_at(run.c, said.position, run.outcome.output);
    const std::string place = fmt::format("after {} of {} units", said.position, draft.length);
    if (said.status != (expected ? Status::ok : Status::unsupported))
      return fmt::format("asked {}, the backend says {}", place, name(said.status));
    if (expected && *expected != said.value)
      return fmt::format("{} it is {}, but input and output say {}", place, to_hex(said.value), to_hex(*expected));
  }
  return {};
}

/// The chaining value after a run: the backend's, or where it tells none, the one that follows from the data.
Block last_chaining_value(const Run& run) {
  if (!run.outcome.chaining_values.empty() && run.outcome.chaining_values.back().status == Status::ok)
    return run.outcome.chaining_values.back().value;
  return chaining_value_at(run.c, run.c.length, run.outcome.output).value_or(Block{});
}

std::string chaining_value_continues(Trial& trial, const Draft& draft) {
  const Mode mode = draft.shape.mode;
  const std::size_t segment = segment_units(mode);
  const Case whole = whole_case(draft);
  Draft front = draft;
  front.length = segment * draft.pick(0, draft.length / segment + 1);
  const std::size_t rest = draft.length - front.length;
  const Bytes& expected = trial.output_of(whole.copy());
  const Run& head = trial.run(handled_case(front));
  Case tail = make_case(draft.shape, whole.key.copy(), last_chaining_value(head),
                        slice(mode, whole.input, front.length, rest), rest);
  const Bytes& tail_output = trial.output_of(std::move(tail));
  const auto unit = first_difference(mode, slice(mode, expected, front.length, rest), tail_output, rest);
  if (!unit) return {};
  return fmt::format("{} of the output differs when a new message starts at {} with the chaining value",
                     unit_name(mode, front.length + *unit), front.length);
}

constexpr Law table[] = {
    {"chaining-value-follows",
     "After every call the chaining value is the one that IV, input and output define; in ECB and inside a block "
     "there is none.",
     "SP 800-38A sections 6.2 to 6.4", everywhere, 0, 1, chaining_value_follows},
    {"chaining-value-continues", "A new message whose IV is the chaining value goes on as the old one would.",
     "SP 800-38A sections 6.2 to 6.4", with_iv, 1, 3, chaining_value_continues},
};

}  // namespace

std::span<const Law> chaining_laws() { return table; }

}  // namespace aesgate::props
