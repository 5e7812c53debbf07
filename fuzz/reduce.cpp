#include "fuzz/reduce.h"

#include <algorithm>

#include "core/bytes.h"
#include "fuzz/fit.h"

namespace aesgate {
namespace {

/// `c` without `count` units from `at` on.
Case without(const Case& c, std::size_t at, std::size_t count) {
  Case shorter = c.copy();
  const Mode mode = c.shape.mode;
  shorter.length -= count;
  shorter.input.assign(bytes_for(mode, shorter.length), 0);
  if (mode == Mode::cfb1) {
    for (std::size_t i = 0; i < shorter.length; ++i)
      set_bit(shorter.input, i, get_bit(c.input, i < at ? i : i + count));
  } else {
    const auto rest = std::ranges::copy(ByteView(c.input).first(at), shorter.input.begin()).out;
    std::ranges::copy(ByteView(c.input).subspan(at + count), rest);
  }
  std::size_t start = 0;
  for (std::size_t& chunk : shorter.chunks) {
    if (is_probe(mode, chunk)) continue;
    const std::size_t end = start + chunk;
    const std::size_t kept_before = std::clamp(at, start, end) - start;
    const std::size_t kept_behind = end - std::clamp(at + count, start, end);
    chunk = kept_before + kept_behind;
    start = end;
  }
  fit_chunks(mode, shorter.length, shorter.chunks);
  return shorter;
}

class Reducer {
 public:
  Reducer(const Case& c, const StillFails& still_fails, std::size_t most_tries)
      : best_(c.copy()), still_fails_(still_fails), tries_left_(most_tries) {}

  Case run() {
    do {
      smaller_ = false;
      without_conditions();
      place_plainly();
      join_chunks();
      shorten();
      clear_bytes();
    } while (smaller_ && tries_left_ > 0);
    return std::move(best_);
  }

 private:
  bool attempt(Case candidate) {
    if (tries_left_ == 0) return false;
    --tries_left_;
    if (!still_fails_(candidate)) return false;
    best_ = std::move(candidate);
    return smaller_ = true;
  }

  /// Attempts what `change` makes of a copy, unless that is the same.
  template <typename Field, typename Value>
  bool attempt_with(Field field, const Value& value) {
    if (field(best_) == value) return true;
    Case candidate = best_.copy();
    field(candidate) = value;
    return attempt(std::move(candidate));
  }

  void without_conditions() {
    if (attempt_with(
            [](auto& c) -> auto& { return c.conditions; }, Conditions{}))
      return;
    for (bool Conditions::*flag : {&Conditions::timer, &Conditions::migration})
      attempt_with(
          [flag](auto& c) -> auto& { return c.conditions.*flag; }, false);
    for (std::uint8_t Conditions::*number : {&Conditions::threads, &Conditions::company})
      if (const auto field = [number](auto& c) -> auto& { return c.conditions.*number; };
          !attempt_with(field, std::uint8_t{0}))
        attempt_with(field, std::uint8_t{1});
    attempt_with(
        [](auto& c) -> auto& { return c.conditions.memory; }, Conditions::Memory::fresh);
  }

  void place_plainly() {
    if (attempt_with(
            [](auto& c) -> auto& { return c.placement; }, Placement{}))
      return;
    attempt_with(
        [](auto& c) -> auto& { return c.placement.in_place; }, false);
    if (!attempt_with(
            [](auto& c) -> auto& { return c.placement.context; }, Placement{}.context))
      attempt_with(
          [](auto& c) -> auto& { return c.placement.context.distance; }, std::uint16_t{0});
    for (Spot Placement::*spot : {&Placement::input, &Placement::output, &Placement::key, &Placement::iv})
      if (!attempt_with(
              [spot](auto& c) -> auto& { return c.placement.*spot; }, Spot{}))
        attempt_with(
            [spot](auto& c) -> auto& { return (c.placement.*spot).distance; }, std::uint16_t{0});
  }

  /// One chunk instead of `count` from `at` on; none if that would be empty.
  bool join(std::size_t at, std::size_t count) {
    Case candidate = best_.copy();
    const auto from = candidate.chunks.begin() + static_cast<std::ptrdiff_t>(at);
    const auto to = from + static_cast<std::ptrdiff_t>(count);
    std::size_t sum = 0;
    for (auto chunk = from; chunk != to; ++chunk) sum += is_probe(best_.shape.mode, *chunk) ? 0 : *chunk;
    const auto rest = candidate.chunks.erase(from, to);
    if (sum > 0) candidate.chunks.insert(rest, sum);
    return attempt(std::move(candidate));
  }

  void join_chunks() {
    for (std::size_t count = best_.chunks.size(); count >= 2; count = std::min(count - 1, (count + 1) / 2))
      for (std::size_t at = 0; at + count <= best_.chunks.size();)
        if (!join(at, count)) ++at;
    for (std::size_t at = 0; at < best_.chunks.size();) {
      const bool removable = best_.chunks[at] == 0 || is_probe(best_.shape.mode, best_.chunks[at]);
      if (!removable || !join(at, 1)) ++at;
    }
  }

  /// Cuts the message at its end and at its front, and then within each chunk, by halves down to a segment.
  void shorten() {
    shorten_range([&] { return Range{0, best_.length}; });
    for (std::size_t i = 0; i < best_.chunks.size(); ++i)
      if (!is_probe(best_.shape.mode, best_.chunks[i])) shorten_range([&] { return range_of_chunk(i); });
  }

  struct Range {
    std::size_t at, length;
  };

  Range range_of_chunk(std::size_t index) const {
    if (index >= best_.chunks.size() || is_probe(best_.shape.mode, best_.chunks[index])) return {0, 0};
    std::size_t at = 0;
    for (std::size_t i = 0; i < index; ++i) at += is_probe(best_.shape.mode, best_.chunks[i]) ? 0 : best_.chunks[i];
    return {at, best_.chunks[index]};
  }

  template <typename CurrentRange>
  void shorten_range(CurrentRange range) {
    const Mode mode = best_.shape.mode;
    const std::size_t least = is_block_mode(mode) ? 16 : 1;
    const auto cut = [&](std::size_t step, bool at_end) {
      const auto [at, length] = range();
      return length >= step && attempt(without(best_, at_end ? at + length - step : at, step));
    };
    for (std::size_t step = fit_length(mode, range().length); step >= least; step = fit_length(mode, step / 2)) {
      while (cut(step, true)) continue;
      while (cut(step, false)) continue;
    }
  }

  /// Zeros for as many bytes as it takes: all, then halves, and so on.
  template <typename Field>
  void clear(Field bytes_of) {
    for (std::size_t size = bytes_of(best_).size(); size > 0; size /= 2)
      for (std::size_t at = 0; at < bytes_of(best_).size(); at += size) {
        const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
        const std::size_t count = std::min(size, bytes_of(best_).size() - at);
        if (std::ranges::all_of(bytes_of(best_).subspan(at, count), is_zero)) continue;
        Case candidate = best_.copy();
        std::ranges::fill(bytes_of(candidate).subspan(at, count), std::uint8_t{0});
        attempt(std::move(candidate));
      }
  }

  void clear_bytes() {
    clear([](Case& c) { return std::span<std::uint8_t>(c.input); });
    clear([](Case& c) { return c.key.bytes(); });
    clear([](Case& c) { return std::span<std::uint8_t>(c.iv); });
  }

  Case best_;
  const StillFails& still_fails_;
  std::size_t tries_left_;
  bool smaller_ = false;
};

}  // namespace

Case reduce(const Case& c, const StillFails& still_fails, std::size_t most_tries) {
  if (c.monte_carlo_steps > 0 || c.repeated_to > 0 || c.expected) return c.copy();
  return Reducer(c, still_fails, most_tries).run();
}

}  // namespace aesgate
