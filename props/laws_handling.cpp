#include "laws.h"
#include "units.h"

// Laws about how a message is handed over, which must not change what comes out.

namespace aesgate::props {
namespace {

bool everywhere(const Shape&) { return true; }

/// Empty if two outputs of one message are equal.
std::string difference(const Draft& draft, std::string_view a_name, ByteView a, std::string_view b_name, ByteView b) {
  const auto unit = first_difference(draft.shape.mode, a, b, draft.length);
  if (!unit) return {};
  return fmt::format("{} of the output differs between {} and {}", unit_name(draft.shape.mode, *unit), a_name, b_name);
}

std::string agrees_with_the_oracles(Trial& trial, const Draft& draft) {
  const Run& run = trial.run(handled_case(draft));
  return difference(draft, "the backend", run.outcome.output, "the oracles", run.answer.output);
}

std::string decrypt_inverts_encrypt(Trial& trial, const Draft& draft) {
  const Case there = handled_case(draft);
  Case back = there.copy();
  back.shape.direction = draft.shape.direction == Direction::encrypt ? Direction::decrypt : Direction::encrypt;
  back.input = trial.output_of(there.copy());
  const Bytes& again = trial.output_of(std::move(back));
  const auto unit = first_difference(draft.shape.mode, there.input, again, draft.length);
  if (!unit) return {};
  return fmt::format("{} of the message does not come back from {} and its inverse", unit_name(draft.shape.mode, *unit),
                     name(draft.shape.direction));
}

std::string split_equals_one_call(Trial& trial, const Draft& draft) {
  Case split = handled_case(draft);
  split.placement = {};
  const Bytes& whole_output = trial.output_of(whole_case(draft));
  const std::string calls = fmt::format("calls of {}", fmt::join(split.chunks, ", "));
  return difference(draft, "one call", whole_output, calls, trial.output_of(std::move(split)));
}

std::string in_place_equals_out_of_place(Trial& trial, const Draft& draft) {
  Case plain = handled_case(draft);
  Case apart = plain.copy();
  Case in_place = plain.copy();
  plain.placement = {};
  apart.placement.in_place = false;
  in_place.placement.in_place = true;
  const Bytes& plain_output = trial.output_of(std::move(plain));
  const Bytes& apart_output = trial.output_of(std::move(apart));
  const Bytes& in_place_output = trial.output_of(std::move(in_place));
  const std::string broken =
      difference(draft, "buffers at a page's start", plain_output, "the same elsewhere", apart_output);
  return broken.empty() ? difference(draft, "out of place", apart_output, "in place", in_place_output) : broken;
}

std::string prefix_gives_prefix(Trial& trial, const Draft& draft) {
  const Mode mode = draft.shape.mode;
  const std::size_t one = is_block_mode(mode) ? block_bytes : 1;
  Draft front = draft;
  front.length = one * draft.pick(0, draft.length / one + 1);
  const Bytes& whole_output = trial.output_of(handled_case(draft));
  const Bytes& front_output = trial.output_of(handled_case(front));
  const auto unit = first_difference(mode, whole_output, front_output, front.length);
  if (!unit) return {};
  return fmt::format("{} of the output depends on whether {} or {} units are given", unit_name(mode, *unit),
                     front.length, draft.length);
}

std::string start_forgets(Trial& trial, const Draft& draft) {
  Draft other = draft;
  other.key = {Fill::Kind::random, mix(draft.picks[0])};
  other.iv = {Fill::Kind::random, mix(draft.picks[1])};
  const Bytes& before = trial.output_of(handled_case(draft));
  trial.run(handled_case(other));
  return difference(draft, "a message", before, "the same after another key", trial.output_of(handled_case(draft)));
}

constexpr Law table[] = {
    {"agrees-with-the-oracles", "The output is what both oracles say, however the message is handed over.",
     "FIPS-197, SP 800-38A section 6", everywhere, 0, 1, agrees_with_the_oracles},
    {"decrypt-inverts-encrypt", "What one direction makes of a message, the other turns back into it.",
     "SP 800-38A section 5.1", everywhere, 1, 2, decrypt_inverts_encrypt},
    {"split-equals-one-call",
     "A message in several calls, empty ones and refused ones among them, gives the output of one call.",
     "aesgate_backend.h, update", everywhere, 0, 2, split_equals_one_call},
    {"in-place-equals-out-of-place", "Where the buffers lie, and whether they are one, changes no output.",
     "aesgate_backend.h, update", everywhere, 1, 3, in_place_equals_out_of_place},
    {"prefix-gives-prefix", "The front of a message gives the front of its output: no mode looks ahead.",
     "SP 800-38A section 6", everywhere, 1, 2, prefix_gives_prefix},
    {"start-forgets", "A message under another key in between changes nothing.", "aesgate_backend.h, start", everywhere,
     1, 3, start_forgets},
};

}  // namespace

std::span<const Law> handling_laws() { return table; }

}  // namespace aesgate::props
