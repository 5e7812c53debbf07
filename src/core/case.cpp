#include "core/case.h"

#include <bit>

namespace aesgate {

Case Case::copy() const {
  Case other{shape,      key.copy(),        iv,          input,    length,  chunks, placement,
             conditions, monte_carlo_steps, repeated_to, expected, backend, origin};
  return other;
}

std::size_t Case::output_length() const {
  if (repeated_to > 0) return 0;
  return monte_carlo_steps > 0 ? monte_carlo_steps * segment_units(shape.mode) : length;
}

Result<void> Case::validate() const {
  if (key.size() != shape.key_size)
    return error("key: {} bits, but the shape has {}", bits(key.size()), bits(shape.key_size));
  if (!takes_length(shape.mode, length))
    return error("input: {} bytes, but {} takes multiples of 16", length, name(shape.mode));
  if (input.size() != bytes_for(shape.mode, length))
    return error("input: {} bytes, but a length of {} needs {}", input.size(), length, bytes_for(shape.mode, length));
  if (expected && expected->size() != bytes_for(shape.mode, output_length()))
    return error("expected: {} bytes, but the output has {}", expected->size(), bytes_for(shape.mode, output_length()));
  for (const Spot* spot : {&placement.input, &placement.output, &placement.key, &placement.iv, &placement.context})
    if (spot->distance > Spot::max_distance)
      return error("placement: a distance of {}; at most {}", spot->distance, Spot::max_distance);
  if (conditions.company > Conditions::max_company || conditions.threads > Conditions::max_threads)
    return error("conditions: at most {} of company and {} threads", Conditions::max_company, Conditions::max_threads);
  if (repeated_to > 0) return validate_repeated();
  if (monte_carlo_steps > 0) {
    if (length != segment_units(shape.mode))
      return error("input: a Monte Carlo loop in {} starts from {} units, not {}", name(shape.mode),
                   segment_units(shape.mode), length);
    if (!chunks.empty()) return error("chunks: a Monte Carlo loop has none");
    if (monte_carlo_steps > max_monte_carlo_steps)
      return error("monte-carlo: {} steps; at most {}", monte_carlo_steps, max_monte_carlo_steps);
    return {};
  }
  std::size_t sum = 0;
  std::optional<std::size_t> probe;
  for (const std::size_t chunk : chunks) {
    if (!takes_length(shape.mode, chunk)) {
      if (chunk > length + 16) return error("chunks: a probe of {} is longer than the message", chunk);
      probe = chunk;
      continue;
    }
    // Compared this way round, the sum cannot wrap.
    if (chunk > length - sum) return error("chunks: they add up to more than the length, {}", length);
    sum += chunk;
  }
  if (sum != length && probe)
    return error("chunks: {} is no multiple of 16, a probe that takes no input; the others add up to {} of {}", *probe,
                 sum, length);
  if (sum != length) return error("chunks: they add up to {}, but the length is {}", sum, length);
  return {};
}

Result<void> Case::validate_repeated() const {
  if (monte_carlo_steps > 0 || expected || conditions != Conditions{})
    return error("repeated-to: there is neither monte-carlo nor expected nor conditions with it");
  if (!chunks.empty()) return error("chunks: a repeated message has none");
  if (repeated_to <= length || repeated_to > max_repeated_to)
    return error("repeated-to: {}; more than the length, {}, and at most {}", repeated_to, length, max_repeated_to);
  if (!takes_length(shape.mode, repeated_to)) return error("repeated-to: {} takes multiples of 16", name(shape.mode));
  // The period of the pages: a power of two, so that it fits any page size.
  if (!std::has_single_bit(input.size()) || input.size() < block_bytes || input.size() > max_period)
    return error("input: {} bytes; what repeats has a power of two from 16 to {}", input.size(), max_period);
  if (length != 8 * input.size() / unit_bits(shape.mode)) return error("length: what repeats is whole bytes");
  return {};
}

Case make_case(Shape shape, Key key, const Block& iv, Bytes input, std::size_t length) {
  Case c;
  c.shape = shape;
  c.key = std::move(key);
  c.iv = iv;
  c.input = std::move(input);
  c.length = length;
  c.chunks = {length};
  return c;
}

}  // namespace aesgate
