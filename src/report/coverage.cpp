#include "report/coverage.h"

#include <fmt/format.h>

namespace aesgate {
namespace {

constexpr std::uint32_t bit(Split split) { return 1u << static_cast<unsigned>(split); }
constexpr std::uint32_t bit(Trait trait) { return 1u << static_cast<unsigned>(trait); }

std::uint32_t splits_of(const Case& c) {
  const std::size_t edge = edge_units(c.shape.mode);
  std::uint32_t splits = 0;
  std::size_t calls = 0;
  std::size_t at = 0;
  bool not_filled = false, filled = false, overfilled = false;
  for (const std::size_t chunk : c.chunks) {
    if (!takes_length(c.shape.mode, chunk)) {
      splits |= bit(Split::refused_calls);
    } else if (chunk == 0) {
      splits |= bit(Split::empty_calls);
    } else {
      ++calls;
      const std::size_t place = at % edge;
      if (place > 0) (place + chunk < edge ? not_filled : place + chunk == edge ? filled : overfilled) = true;
      at += chunk;
    }
  }
  return splits | bit(calls <= 1   ? Split::one_call
                      : not_filled ? Split::not_filled
                      : filled     ? Split::filled
                      : overfilled ? Split::overfilled
                                   : Split::at_edges);
}

/// The traits of a buffer of `size` bytes; `first` is the first of its three.
std::uint32_t traits_of(const Spot& spot, std::size_t size, Trait first) {
  const bool at_end = spot.edge == Spot::Edge::end;
  std::uint32_t traits = 0;
  if (spot.distance == 0) traits = bit(first) << (at_end ? 1 : 0);
  // Pages are aligned, so what lies against the end is as its size has it.
  if ((spot.distance + (at_end ? size : 0)) % block_bytes != 0) traits |= bit(first) << 2;
  return traits;
}

std::uint32_t traits_of(const Conditions& conditions) {
  std::uint32_t traits = 0;
  switch (conditions.memory) {
    case Conditions::Memory::fresh: break;
    case Conditions::Memory::another_message: traits = bit(Trait::another_message); break;
    case Conditions::Memory::restarted: traits = bit(Trait::restarted); break;
    case Conditions::Memory::started_again: traits = bit(Trait::started_again); break;
  }
  if (conditions.company > 0) traits |= bit(Trait::company);
  if (conditions.threads > 0) traits |= bit(Trait::threads);
  if (conditions.timer) traits |= bit(Trait::timer);
  if (conditions.migration) traits |= bit(Trait::migration);
  return traits;
}

std::uint32_t traits_of(const Case& c) {
  const Placement& placement = c.placement;
  std::uint32_t traits = traits_of(c.conditions) | traits_of(placement.input, c.input.size(), Trait::input_at_start) |
                         traits_of(placement.key, c.key.bytes().size(), Trait::key_at_start);
  if (placement.in_place)
    traits |= bit(Trait::in_place);
  else
    traits |= traits_of(placement.output, c.input.size(), Trait::output_at_start);
  if (has_iv(c.shape.mode)) traits |= traits_of(placement.iv, c.iv.size(), Trait::iv_at_start);
  if (placement.context.distance == 0)
    traits |= bit(placement.context.edge == Spot::Edge::end ? Trait::context_at_end : Trait::context_at_start);
  return traits;
}

}  // namespace

std::string_view name(Split split) {
  static constexpr std::array<std::string_view, split_count> names{"one call",
                                                                   "cut at block edges",
                                                                   "block left unfilled by the next call",
                                                                   "block filled exactly by the next call",
                                                                   "block overfilled by the next call",
                                                                   "with empty calls",
                                                                   "with refused calls"};
  return names[static_cast<std::size_t>(split)];
}

std::string_view name(Trait trait) {
  static constexpr std::array<std::string_view, trait_count> names{
      "in place",         "after another message", "restarted",     "started again",    "in company",
      "on threads",       "under a timer",         "migrating",     "input at start",   "input at end",
      "input unaligned",  "output at start",       "output at end", "output unaligned", "key at start",
      "key at end",       "key unaligned",         "IV at start",   "IV at end",        "IV unaligned",
      "context at start", "context at end"};
  return names[static_cast<std::size_t>(trait)];
}

std::size_t size_class(Mode mode, std::size_t length) {
  const std::size_t calls = length / segment_units(mode);
  if (calls == 0) return length > 0 ? 1 : 0;
  std::size_t size = size_classes.size() - 1;
  while (size_classes[size].least > calls) --size;
  return size;
}

CaseClass classify(const Case& c) {
  return {size_class(c.shape.mode, c.length), c.length % edge_units(c.shape.mode) != 0, splits_of(c), traits_of(c)};
}

void Coverage::add(const CaseClass& c) {
  ++cases_;
  ++by_size_[c.size];
  for (std::size_t i = 0; i < split_count; ++i) by_split_[c.size][c.tail][i] += c.splits >> i & 1u;
  for (std::size_t i = 0; i < trait_count; ++i) by_trait_[c.size][i] += c.traits >> i & 1u;
}

void Coverage::add(const Coverage& other) {
  cases_ += other.cases_;
  for (std::size_t size = 0; size < size_classes.size(); ++size) {
    by_size_[size] += other.by_size_[size];
    for (const std::size_t tail : {0u, 1u})
      for (std::size_t i = 0; i < split_count; ++i) by_split_[size][tail][i] += other.by_split_[size][tail][i];
    for (std::size_t i = 0; i < trait_count; ++i) by_trait_[size][i] += other.by_trait_[size][i];
  }
}

std::string size_text(Mode mode, std::size_t size, bool tail) {
  const std::string_view segment = mode == Mode::cfb1 ? "bit" : mode == Mode::cfb8 ? "byte" : "block";
  std::string text = fmt::format("{} {}{}", size_classes[size].name, segment,
                                 size_classes[size].name == "1" || size_classes[size].name == "<1" ? "" : "s");
  if (tail && size != 1)
    text += mode == Mode::cfb1 ? ", not whole bytes" : mode == Mode::cfb8 ? ", not whole blocks" : " and a part";
  return text;
}

}  // namespace aesgate
