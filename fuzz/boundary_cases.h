#pragma once

#include <cstddef>
#include <vector>

#include "core/case.h"
#include "core/plan.h"
#include "fuzz/boundary_cuts.h"
#include "fuzz/boundary_messages.h"

namespace aesgate {

// The boundary Cases: a lattice over the ways to call a backend, the same in every run, whatever its seed.
//
// - Length, way to cut, in place or not, and where the input lies (against the upper page, against the lower page, or
//   at an offset of 1 to 63 from either) are a full product, for each shape. Within each point of it, what a way to cut
//   leaves open goes on in steps that visit every value.
// - In modes that take less than a block, all pairs of (first call modulo the block, second call modulo the block).
// - Messages other than random ones, 64 KiB and in deep effort some MiB have products of their own, less fine.
// - All else is drawn for each Case, from numbers that are the shape's and the Case's alone: where in its message a
// Case
//   begins, where output, key, IV and context lie, what the context's memory went through, company, threads, timer,
//   migration. Enough Cases draw for all pairs of any two axes to occur in each shape, and of size class, way to cut
//   and any third one nine triples of ten (boundary_cases_test.cpp).
// report/coverage_minimum.h says what a run must have seen of it.

/// BoundaryPoint: what is chosen for a mode.
struct BoundaryPoint {
  BoundaryMessage message = BoundaryMessage::random;
  Cut way = Cut::one_call;
  bool in_place = false;
  enum class Input : std::uint8_t { at_end, at_start, offset } input = Input::at_end;
  std::size_t length = 0;  // in units
  std::vector<std::size_t> chunks;
};

struct BoundaryLattice {
  std::vector<BoundaryPoint> points;
  /// So many of the first have two of each size class, tail, and kind of split that there is, or the only one: what a
  /// backend of any speed runs. The others come in an order in which a part of them is spread over all.
  std::size_t core = 0;
};

/// The lattice of a mode, made once in a process.
[[nodiscard]] const BoundaryLattice& boundary_lattice(Mode mode, Effort effort);

/// The valid Case at a point of the lattice of its mode; `number` is less than that has.
[[nodiscard]] BoundaryCase boundary_case(const Shape& shape, std::size_t number, Effort effort);

}  // namespace aesgate
