#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/shape.h"
#include "witness/code_place.h"

namespace aesgate::constant_time {

/// How it is found out whether a key decides where memory is touched or which instruction comes next.
enum class Method {
  memcheck,  // valgrind follows the bits of a key that was marked undefined
  trace      // single steps of calls with different keys and texts are compared
};
[[nodiscard]] std::string_view name(Method method);  // "valgrind", "trace"

/// Job: what a worker, a process of this program, is asked to do.
struct Job {
  int parent = 0;  // the process that waits for it: it dies with that one
  Method method = Method::trace;
  std::string plugin;               // the file, or empty: a backend built in
  std::string backend;              // "NAME" or "NAME:OPTIONS"
  std::vector<std::size_t> shapes;  // places in all_shapes()
  bool secret_text = false;         // memcheck: the input is marked too
  bool short_calls_only = false;
  bool all_long_traces = false;  // trace: long calls with each key size, and not only with the first one of each mode
  std::size_t keys = 2;          // trace: with how many keys each shape is traced
  std::uint64_t seed = 1;
};

/// Leak: a place in the code where something secret decides.
struct Leak {
  witness::CodePlace place;
  std::string what;        // "a jump depends on the key"
  std::size_t shapes = 0;  // in how many it was seen
};

/// ShapeAnswer: what came out for one shape.
struct ShapeAnswer {
  std::size_t shape = 0;  // place in all_shapes()
  enum class State { clean, leaks, failed } state = State::failed;
  std::string reason;       // of failed
  std::vector<Leak> leaks;  // of a trace; memcheck's are in its own report
  std::size_t steps = 0;    // of a trace: instructions with one key
  bool long_calls = true;   // false: those took too many steps
};

/// Answer: all that a worker said, as far as it came.
struct Answer {
  witness::LoadedProgram program;  // where its code was
  std::string unavailable;         // why the backend cannot run there, in words
  std::string failed;              // why the worker could not do its job
  std::vector<ShapeAnswer> shapes;
  bool complete = false;  // it came to its end
};

[[nodiscard]] std::string to_text(const Job& job);
[[nodiscard]] Result<Job> parse_job(std::string_view text);

// An answer is written as it grows, a line each, so that a worker that crashes has said how far it came.
[[nodiscard]] std::string program_line(const witness::LoadedProgram& program);
[[nodiscard]] std::string unavailable_line(std::string_view why);
[[nodiscard]] std::string failed_line(std::string_view why);
[[nodiscard]] std::string shape_line(const ShapeAnswer& answer);
[[nodiscard]] std::string end_line();

/// Lines that a backend printed in between are not looked at.
[[nodiscard]] Answer parse_answer(std::string_view text);

}  // namespace aesgate::constant_time
