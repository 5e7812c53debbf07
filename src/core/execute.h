#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/bytes.h"
#include "core/call_note.h"
#include "core/case.h"
#include "core/status.h"
#include "core/trap.h"
#include "core/warning.h"

namespace aesgate {

/// Damage: a byte that changed, or did not stay, where the interface says that none may.
struct Damage {
  std::string what;       // "byte after the output", "input", "chaining value after a refused call", …
  std::ptrdiff_t offset;  // from the first byte of the buffer that `what` names
  std::uint8_t expected;
  std::uint8_t found;
  std::string call;  // after which call: "update() 3, of 16 at 48"
};

/// Breach: a rule that is not about the bytes of a buffer, and was broken.
struct Breach {
  std::string what;    // "callee-saved register rbx", "finish() left round key 3 at byte 48 of the context"
  std::string call;    // after which call; or empty, where `what` says it
  std::string detail;  // "expected …, got …", or empty
};

/// ChainingValue: what the backend said when `position` units of the message were done.
struct ChainingValue {
  std::size_t position;
  Status status;
  Block value;
};

/// Outcome: all that execute() saw. A backend that ended early has the output up to there.
struct Outcome {
  Status status = Status::ok;  // of the call that ended it, or ok
  std::string call;            // that call, or the one that crashed: "start()", "update() 3, of 16 at 48"
  bool accepted = false;       // probe() and update_for() agreed: what comes later is no "unsupported" or "unavailable"
  std::string reason;          // probe()'s words where the status is unavailable; or more about a failure; or empty
  std::optional<Crash> crash;
  std::string crash_place;                     // "at byte 18 of the input, 2 past its end", or empty
  Bytes output;                                // bits past the end of CFB1 output are zero
  std::vector<ChainingValue> chaining_values;  // after start() and after every update()
  std::vector<Damage> damage;
  std::vector<Breach> breaches;
  Warnings warnings = {};

  /// What it took on the thread that made the calls, in whichever process (Stopwatch, core/allowance.h): once, without
  /// what threads, timer and migration add.
  std::chrono::nanoseconds time_taken{};

  /// Where a process of its own did not live to give an answer, or was not asked: the verdict (crashed, timed out,
  /// failed, declined), all of whose reason is `reason`.
  std::optional<Verdict> cut_short;
};

/// Drives `backend` through a valid Case: lays its buffers out as the placement says, all memory around
/// them poison and between pages that may not be touched; calls start(), update() for every chunk,
/// chaining_value() after each, and finish(); and looks at what was touched after every call. Each
/// chunk's input is put in place just before its call and scribbled over just after, so nothing kept
/// by reference stays valid. What the ABI says of a call is looked at after each (core/abi_watch.h), and after finish()
/// no round key may be in the context; in one of 16 Cases the stack below update() is looked through for them, too. The
/// Case's conditions go on around all of it (core/conditions.h). The one place in which a backend is driven; it may be
/// called from several threads at once. A backend that has a Driver (core/driver.h) is left to that.
[[nodiscard]] Outcome execute(const aesgate_backend& backend, const Case& c);

/// The same in this process for a backend without a Driver, with each call noted before it is made.
[[nodiscard]] Outcome execute_here(const aesgate_backend& backend, const Case& c, CallNote* note);

}  // namespace aesgate
