#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/case.h"
#include "core/execute.h"
#include "core/key_traces.h"

namespace aesgate {

/// Leftovers: what a backend should have wiped in a Case.
class Leftovers {
 public:
  Leftovers(std::string_view backend, const Case& c) : backend_(backend), case_(c) {}

  /// In a context, after finish(): a Breach.
  void look_at_context(std::span<const std::uint8_t> context, Outcome& outcome);

  /// Is the stack to be looked through after this call of update(), counted from 0? It is in one of 16 Cases, always
  /// the same, and there for a few calls.
  [[nodiscard]] bool looks_at_stack(std::size_t call) const;
  /// On the stack, after update(): a Warning, unless it is waived.
  void look_at_stack(std::span<const std::uint8_t> stack, Outcome& outcome);

 private:
  /// `trace`, unless it is in what is no secret, too.
  [[nodiscard]] std::optional<KeyTraces::Trace> unless_public(std::optional<KeyTraces::Trace> trace,
                                                              std::span<const std::uint8_t> memory,
                                                              const Outcome& outcome) const;
  const KeyTraces& traces();

  std::string_view backend_;
  const Case& case_;
  std::optional<KeyTraces> traces_;  // once it is needed
};

}  // namespace aesgate
