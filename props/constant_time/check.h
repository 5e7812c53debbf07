#pragma once

#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "props/constant_time/job.h"

namespace aesgate::constant_time {

/// What is held against a backend. The software and instruction backends built in say that their time depends on no
/// secret, but for the two that say the contrary and prove the check: one that finds nothing in them finds nothing.
/// Anything else (a library, a coprocessor's driver, a plugin) says nothing: what is found is reported, and no failure.
enum class Claim { none, constant_time, leaks };
[[nodiscard]] Claim claim_of(const aesgate_backend& backend, bool is_plugin);

/// The names of those with Claim::leaks.
[[nodiscard]] const std::vector<std::string>& control_names();

/// Subject: a backend, and how a worker finds it.
struct Subject {
  std::string name;    // in reports
  std::string spec;    // "NAME" or "NAME:OPTIONS"
  std::string plugin;  // its file, or empty
  Claim claim = Claim::none;
  std::string unavailable;  // why it cannot run here, in words
};

/// Request: how subjects are checked.
struct Request {
  std::vector<std::size_t> shapes;  // places in all_shapes()
  bool secret_text = false, short_calls_only = false;
  bool all_long_traces = false;  // of each key size; otherwise of one for each mode and direction
  std::size_t keys = 2;          // of a trace, at least 2
  std::uint64_t seed = 1;
};

enum class State {
  constant_time,  // nothing that is secret decided anything in what was run
  leaks,
  unknown,     // the check came to no end
  unavailable  // the backend cannot run here
};
[[nodiscard]] std::string_view name(State state);  // "constant-time", "leaks", …

/// Conclusion: what was found out about a subject.
struct Conclusion {
  Subject subject;
  State state = State::unknown;
  Method method = Method::trace;
  std::string reason;  // of unknown and unavailable
  std::size_t shapes_clean = 0, shapes_leaking = 0;
  std::size_t keys = 0, steps = 0;  // of traces: how many keys, and the instructions with one key in all shapes
  std::vector<Leak> leaks;          // one a place, the first found first
  std::vector<std::string> notes;
};

/// Why a method cannot be used here, in words; empty if it can.
[[nodiscard]] std::string why_not(Method method);

/// Runs a worker and reads its answer. A backend that cannot run under valgrind's CPU is `unavailable` by that method.
/// From several threads at once; throws std::system_error if there can be no worker.
[[nodiscard]] Conclusion check(const Subject& subject, Method method, const Request& request);

}  // namespace aesgate::constant_time
