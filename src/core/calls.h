#pragma once

#include <string>

#include "core/abi_watch.h"
#include "core/call_note.h"
#include "core/execute.h"
#include "core/trap.h"

namespace aesgate {

/// Calls: makes a backend's calls on one thread, for an Outcome. A call is trapped, noted for a process that watches
/// this one, and looked at: what AbiWatch finds goes into the Outcome. outcome.call is the call's name, and set before
/// it.
class Calls {
 public:
  /// `note` may be null. Both outlive this.
  Calls(Outcome& outcome, CallNote* note) : outcome_(outcome), note_(note) {}

  [[nodiscard]] AbiWatch& watch() { return watch_; }
  [[nodiscard]] Outcome& outcome() { return outcome_; }

  /// Makes `call`, which may not own anything; false if it crashed. `extra` is its name where it is not outcome.call,
  /// but made after that.
  template <typename Call>
  [[nodiscard]] bool make(Call& call, const char* extra = nullptr) {
    if (note_ != nullptr) note_->enter(label(extra));
    outcome_.crash = run_trapped(call);
    if (note_ != nullptr) note_->leave();
    return look(extra);
  }

 private:
  [[nodiscard]] std::string label(const char* extra) const;
  bool look(const char* extra);

  Outcome& outcome_;
  CallNote* note_;
  AbiWatch watch_;
};

}  // namespace aesgate
