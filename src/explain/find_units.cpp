// What the figures are in, and whether a text agrees with itself.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "explain/explanation.h"
#include "explain/quantity.h"

namespace aesgate::explain {
namespace {

const char* unit_of(Tool tool) {
  switch (tool) {
    case Tool::openssl: return "k is 1000 bytes a second";
    case Tool::botan: return "bps is bytes a second";
    case Tool::bench_slope:
    case Tool::cryptsetup: return "MiB/s is 1,048,576 bytes a second";
    case Tool::kcapi: return "MB is 1,048,576 bytes, unlike here";
    case Tool::aesgate: return "times are nanoseconds a byte";
  }
  return "";
}

void explain_units(Explanation& out) {
  std::vector<Tool> seen;
  for (const Subject& subject : out.subjects) {
    const Tool tool = subject.run->invocation.tool;
    const double rate = [&] {
      const Sample* sample = largest(*subject.run);
      if (subject.run->nanoseconds_per_byte) return 1e9 / *subject.run->nanoseconds_per_byte;
      return sample == nullptr ? 0 : sample->bytes_per_second;
    }();
    if (rate <= 0 || std::find(seen.begin(), seen.end(), tool) != seen.end()) continue;
    seen.push_back(tool);
    const std::string as_printed = tool == Tool::openssl ? fmt::format("{:.2f}k is ", rate / 1000) : "";
    out.fact("units", fmt::format("in {}, {}; {}{} ({})", name(tool), unit_of(tool), as_printed, rate_text(rate),
                                  subject.label));
  }
}

void explain_processes(Explanation& out) {
  for (const Subject& subject : out.subjects) {
    const unsigned processes = subject.run->invocation.processes;
    const Sample* sample = largest(*subject.run);
    if (processes < 2 || sample == nullptr || sample->bytes_per_second <= 0) continue;
    out.fact("processes",
             fmt::format("{}: the rates are the sum over {} processes; one has {} at {} bytes", subject.label,
                         processes, rate_text(sample->bytes_per_second / processes), sample->bytes));
  }
}

/// A table that is not of the lines above it was edited, or is of another run.
void explain_disagreement(Explanation& out) {
  for (const Subject& subject : out.subjects)
    for (const Sample& sample : subject.run->samples) {
      if (subject.run->invocation.processes > 1 || sample.calls <= 0 || sample.seconds <= 0 ||
          sample.bytes_per_second <= 0)
        continue;
      const double rate = sample.calls * static_cast<double>(sample.bytes) / sample.seconds;
      if (std::abs(rate / sample.bytes_per_second - 1) < 0.01 + 0.01 / sample.seconds) continue;
      out.fact("inconsistent",
               fmt::format("{}: at {} bytes the table has {}, and the calls counted give {}: they are of two "
                           "runs, or were edited",
                           subject.label, sample.bytes, megabytes_text(sample.bytes_per_second), megabytes_text(rate)));
      break;
    }
}

}  // namespace

void find_units(Explanation& out) {
  explain_units(out);
  explain_processes(out);
  explain_disagreement(out);
}

void find_next(Explanation& out) {
  for (const Subject& subject : out.subjects) {
    const SpeedRun& run = *subject.run;
    if (!run.algorithm.aes || run.algorithm.key_bits == 0) continue;
    if (run.invocation.tool == Tool::openssl && out.next.size() < 4) {
      const std::string command = speed_command(run);
      // A run that named an engine has its command already, and one in elapsed time need not be repeated.
      if (run.invocation.engine.empty() && run.invocation.clock != Clock::elapsed) out.run_next(command);
      if (run.invocation.engine.empty()) out.run_next(witness_command(command));
    }
  }
  const bool timed = std::any_of(out.subjects.begin(), out.subjects.end(),
                                 [](const Subject& subject) { return subject.run->algorithm.aes; });
  if (!timed || out.next.size() >= 6) return;
  const auto subject =
      std::find_if(out.subjects.begin(), out.subjects.end(), [](const Subject& s) { return s.run->algorithm.aes; });
  const Algorithm& algorithm = subject->run->algorithm;
  const bool known_mode = !algorithm.mode.empty() && parse_mode(algorithm.mode).has_value();
  out.run_next(fmt::format("aesgate perf{}{}", known_mode ? " --mode " + algorithm.mode : "",
                           algorithm.key_bits == 0 ? "" : fmt::format(" --key-bits {}", algorithm.key_bits)));
}

}  // namespace aesgate::explain
