#pragma once

#include <cstddef>
#include <cstdint>

#include "core/case.h"
#include "fuzz/prng.h"

namespace aesgate {

/// The longest random message, in units: 4 KiB and one block, or the block's first byte; in CFB1 and CFB8, which call
/// the cipher once a unit, 32 blocks and one unit.
[[nodiscard]] constexpr std::size_t longest_random(Mode mode) {
  return segment_units(mode) == 1 ? 513 : is_block_mode(mode) ? 4112 : 4097;
}

/// A valid Case of `shape`, the same for the same three arguments on every platform. Lengths gather around the
/// numbers of blocks at which a backend changes from one loop to the next (1 to 4, 6, 8, 16, 32, 64, 256), one
/// unit less and one more, where the mode takes that; input is split at block edges and beside them,
/// into empty calls too and, in ECB and CBC, calls that must be refused; buffers lie at either edge; contexts are used
/// again, in company, on threads, under a timer. From number 9,999 on, one in 10,000 is up to 4 MiB long.
[[nodiscard]] Case random_case(std::uint64_t seed, std::uint64_t number, const Shape& shape);

// The parts of it, which the mutator of the libFuzzer target uses too.

/// A length of at most `longest` that the mode takes.
[[nodiscard]] std::size_t random_length(Prng& prng, Mode mode, std::size_t longest);

/// A valid list of chunks for `length`.
[[nodiscard]] std::vector<std::size_t> random_chunks(Prng& prng, Mode mode, std::size_t length);

/// A length that an ECB or CBC update() must refuse, valid for a Case of `length`.
[[nodiscard]] std::size_t random_probe(Prng& prng, std::size_t length);

[[nodiscard]] Spot random_spot(Prng& prng);

/// Half of them none; what takes long is rare.
[[nodiscard]] Conditions random_conditions(Prng& prng);

}  // namespace aesgate
