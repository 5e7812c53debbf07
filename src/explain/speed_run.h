#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "explain/algorithm.h"

namespace aesgate::explain {

/// Tool: what wrote the text.
enum class Tool { openssl, botan, bench_slope, kcapi, cryptsetup, aesgate };
/// "openssl speed", "bench-slope", …
[[nodiscard]] std::string_view name(Tool tool);

/// Clock: what the seconds of a run are. `cpu`: user CPU time, which neither time in the kernel nor time that the
/// program waits for a device is part of. `unknown`: the text does not tell.
enum class Clock { elapsed, cpu, unknown };

/// Place: where in a text something stands. "file.txt:12".
struct Place {
  std::string file;
  std::size_t line = 0;
  [[nodiscard]] std::string text() const;
};

/// Sample: one size of call. What the text does not tell is 0.
struct Sample {
  std::size_t bytes = 0;        // that a call takes
  double calls = 0;             // that were made, by one process
  double seconds = 0;           // that they took, by the run's clock
  bool has_seconds = false;     // `seconds` is from the text, also if it is 0
  double planned_seconds = 0;   // after which a timer of elapsed time ended them
  double bytes_per_second = 0;  // as the text gives it: the sum over all processes
  std::size_t line = 0;
};

/// Invocation: what the text says of how the program was started, and on what.
struct Invocation {
  Tool tool = Tool::openssl;
  Place place;
  std::string command;          // as in the text, without the prompt; empty if it is not there
  std::string version;          // "0.9.8d"
  std::string timing_function;  // "getrusage"
  std::string engine;           // that was asked for
  Place engine_place;
  bool engine_set = false;     // the program says that it has the engine
  std::string engine_refusal;  // what the program says of why it has not; empty if it says nothing
  Place refusal_place;
  std::vector<std::string> engine_errors;  // what the library says beside that
  std::optional<bool> evp;                 // -evp, where the text tells
  Clock clock = Clock::unknown;
  unsigned processes = 1;  // -multi
  std::string cpu_info;    // OPENSSL_ia32cap=… or OPENSSL_armcap=…
  Place cpu_info_place;
  double elapsed_seconds = 0, user_seconds = 0, system_seconds = 0;  // by time(1), of the whole command; 0 if not there

  /// The first number of the version: 0, 1, 3; -1 if it is not told.
  [[nodiscard]] int major_version() const;
};

/// SpeedRun: how fast one algorithm was in one invocation. What all readers make and all reasoning starts from.
struct SpeedRun {
  Invocation invocation;
  std::size_t invocation_number = 0;  // equal for runs of the same invocation
  Algorithm algorithm;
  Place place;                  // of the first figure
  std::string variant;          // a driver, a provider; empty if none is named
  std::vector<Sample> samples;  // by size, each size once

  std::optional<double> nanoseconds_per_byte;   // where the text has a slope, and not times of calls
  std::optional<double> cycles_per_byte;        // of the largest size, or of the slope
  bool cycles_are_ticks = false;                // they are from a counter that is no counter of core cycles
  bool below_floor = false;                     // that program found its own figure impossible
  std::optional<double> floor_cycles_per_byte;  // by the program that measured
  std::string not_timed;                        // why there are no figures; empty if there are
};

/// Trouble: a line that says that something is wrong, whatever was timed.
struct Trouble {
  enum class What { bad_decrypt, wrong_result, wrong_chaining_value, in_place, mismatch };
  What what = What::bad_decrypt;
  Place place;
  std::string who;         // a driver or backend; empty if the line names none
  std::string line;        // what it says, shortened
  int vector = -1;         // the number of the test vector; -1 if none
  bool self_test = false;  // by Linux, of the driver `who`
};

/// CpuFlags: a line of /proc/cpuinfo.
struct CpuFlags {
  Place place;
  bool aes = false, ssse3 = false, hypervisor = false;
};

/// Reading: all that was found in the texts.
struct Reading {
  std::vector<SpeedRun> runs;
  std::vector<Trouble> troubles;
  std::vector<CpuFlags> cpus;
  std::size_t invocations = 0;
};

/// Seconds of one call by the run's clock; nothing if they do not follow from the sample.
[[nodiscard]] std::optional<double> seconds_per_call(const SpeedRun& run, const Sample& sample);

/// Elapsed seconds of one call: those of the timer that ended the calls, where the run's clock is the CPU's.
[[nodiscard]] std::optional<double> elapsed_per_call(const SpeedRun& run, const Sample& sample);

/// The part of the elapsed time in which the program had the CPU, in user mode, over all sizes; nothing if that does
/// not follow.
[[nodiscard]] std::optional<double> cpu_share(const SpeedRun& run);

/// Bytes a second of elapsed time, over all processes; 0 if that does not follow.
[[nodiscard]] double elapsed_rate(const SpeedRun& run, const Sample& sample);

/// The largest size of a run; null if it has none.
[[nodiscard]] const Sample* largest(const SpeedRun& run);

}  // namespace aesgate::explain
