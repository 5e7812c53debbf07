#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/conditions.h"
#include "core/secret.h"
#include "core/shape.h"

namespace aesgate {

/// Spot: where a buffer lies between two pages that may not be touched. `start` puts its first byte
/// `distance` bytes after the lower one, `end` its last byte `distance` bytes before the upper one.
struct Spot {
  enum class Edge : std::uint8_t { start, end };
  Edge edge = Edge::start;
  std::uint16_t distance = 0;  // 0..max_distance

  static constexpr std::uint16_t max_distance = 255;
  friend bool operator==(const Spot&, const Spot&) = default;
};

/// Placement: where each buffer of a call lies. In place, the output is the input, and `output` is
/// not looked at.
struct Placement {
  bool in_place = false;
  Spot input, output, key, iv;

  /// Where the context lies: its `distance` is counted in the alignment that the backend asks for, from the nearest
  /// place to that edge which has it. Of two distances that follow each other, one is aligned to no more than that.
  Spot context{Spot::Edge::end, 0};
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// Case: one message under one key, and how it is handed to a backend. The only unit of work of every
/// stage, and the reproducer of every failure (case_text.h has its text form).
struct Case {
  Shape shape;
  Key key;                 // as long as shape.key_size says
  Block iv{};              // not looked at in ECB
  Bytes input;             // bytes_for(shape.mode, length) bytes
  std::size_t length = 0;  // in units: bits in CFB1, bytes elsewhere

  /// The lengths of the calls of update(), in units, 0 allowed; their sum is `length`. In ECB and CBC
  /// a length that is no multiple of 16 is a probe: the backend must refuse it with
  /// AESGATE_BAD_ARGUMENT and change nothing; it takes no input and does not count in the sum.
  std::vector<std::size_t> chunks;

  Placement placement;
  Conditions conditions;

  /// Above 0, the inner loop of AESAVS section 6.4: `input` is the first segment, each of this many
  /// calls takes one segment, and what it takes is fed back from what came before. The output is that
  /// of all calls in order. `chunks` is empty then.
  std::size_t monte_carlo_steps = 0;
  static constexpr std::size_t max_monte_carlo_steps = 1'000'000;

  /// Above `length`, the message is `input` again and again, up to this many units, and is handed over in one call: for
  /// lengths past 2^31 and 2^32 (core/long_message.h). `chunks` is empty then. What is judged is what that call leaves
  /// behind, and not the output as a whole.
  std::size_t repeated_to = 0;
  static constexpr std::size_t max_repeated_to = std::size_t{1} << 36;
  static constexpr std::size_t max_period = std::size_t{1} << 20;  // of `input`, in bytes

  /// What a published vector says the output is, where the Case comes from one.
  std::optional<Bytes> expected;

  std::string backend;  // the one that this Case was made for, or empty: any
  std::string origin;   // where it comes from: "CBCMMT128.rsp:14 ENCRYPT COUNT=3", "seed 42 case 7"

  [[nodiscard]] Case copy() const;

  /// The units of output: `length`, what monte_carlo_steps calls give, or none with repeated_to.
  [[nodiscard]] std::size_t output_length() const;

  /// Nothing, or the first rule above that does not hold. execute() takes valid Cases only.
  [[nodiscard]] Result<void> validate() const;

 private:
  [[nodiscard]] Result<void> validate_repeated() const;
};

/// A Case of a whole message: `length` in units, one call, both buffers at a page's start.
[[nodiscard]] Case make_case(Shape shape, Key key, const Block& iv, Bytes input, std::size_t length);

}  // namespace aesgate
