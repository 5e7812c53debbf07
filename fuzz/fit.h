#pragma once

#include <cstddef>
#include <vector>

#include "core/case.h"

namespace aesgate {

// What keeps a Case valid while the decoder, the mutator or the reducer changes one thing about it.

/// `length` rounded down to what the mode takes.
[[nodiscard]] constexpr std::size_t fit_length(Mode mode, std::size_t length) {
  return is_block_mode(mode) ? length - length % 16 : length;
}

/// Is this entry of a chunk list a probe, a call that the backend must refuse (Case::chunks)?
[[nodiscard]] constexpr bool is_probe(Mode mode, std::size_t chunk) { return !takes_length(mode, chunk); }

/// Makes `chunks` fit a message of `length` units, which the mode takes, and changes as little as it can:
/// a chunk that reaches past the end is cut, those behind it are dropped unless they are empty, what is
/// missing becomes one last chunk, and a probe that is too long becomes one of less than a block. A
/// list that fits stays as it is.
void fit_chunks(Mode mode, std::size_t length, std::vector<std::size_t>& chunks);

/// Makes a list that fits its message at most `most` long, which is 1 or more: what lies behind is joined to the
/// last that stays.
void limit_chunks(Mode mode, std::size_t most, std::vector<std::size_t>& chunks);

/// Gives a Case another length, which the mode takes: the input is cut at the end, or goes on with
/// filler(), and the chunks are made to fit.
void resize(Case& c, std::size_t length);

/// Gives a Case another shape; key, input and chunks are made to fit. The length stays the same number of units,
/// rounded down and at most `longest`.
void reshape(Case& c, const Shape& shape, std::size_t longest);

/// What stands at `index` of an input that nobody chose: bytes such that no two blocks are alike,
/// since equal blocks would hide that two were swapped.
[[nodiscard]] std::uint8_t filler(std::size_t index);

}  // namespace aesgate
