#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/shape.h"
#include "generators.h"
#include "trial.h"

namespace aesgate::props {

/// Law: something that holds of every right backend, whatever the key and the message.
struct Law {
  std::string_view name;       // "split-equals-one-call"
  std::string_view statement;  // one sentence
  std::string_view source;     // standard and section, or the interface

  bool (*applies)(const Shape& shape);

  /// The shortest message about which the law says something: in blocks in ECB and CBC, in units elsewhere.
  std::size_t at_least;

  /// How many Cases one test runs.
  std::size_t cases;

  /// Runs those Cases and compares them: empty if the law holds, else what breaks it, in one line. The answer
  /// means nothing where a Case ended early.
  std::string (*check)(Trial& trial, const Draft& draft);

  [[nodiscard]] std::size_t min_units(Mode mode) const { return is_block_mode(mode) ? at_least * 16 : at_least; }
};

/// All laws, by group.
[[nodiscard]] std::span<const Law* const> laws();

// The groups, one file each.
[[nodiscard]] std::span<const Law> handling_laws();   // how a message is handed over changes nothing
[[nodiscard]] std::span<const Law> chaining_laws();   // what one call leaves to the next
[[nodiscard]] std::span<const Law> structure_laws();  // what SP 800-38A section 6 builds each mode from
[[nodiscard]] std::span<const Law> bit_error_laws();  // what SP 800-38A appendix D says about changed bits

}  // namespace aesgate::props
