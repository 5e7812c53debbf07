// Figures that no CPU can reach: what was measured is something else.

#include <algorithm>

#include <fmt/format.h>

#include "explain/explanation.h"
#include "explain/quantity.h"

namespace aesgate::explain {
namespace {

// The fastest that is published of any CPU: an AES round takes 2 cycles (Neoverse N1), 3 on x86-64 (Tiger Lake), 4 on
// Zen; 8 blocks begin a round in a cycle (Zen 5: two instructions on four blocks each); no core is sold for more
// than 6.2 GHz.
constexpr double least_latency = 2, least_latency_x86 = 3, most_blocks_a_cycle = 8, most_hertz = 6.2e9;
constexpr double block = 16;

/// Small calls of a serial mode that do not depend on each other overlap in the core, and may be faster than it.
constexpr std::size_t least_bytes = 1024;

/// A figure this much below its floor is no rounding.
constexpr double least_part = 0.99;

bool is_x86(const SpeedRun& run) { return run.invocation.cpu_info.find("OPENSSL_ia32cap") != std::string::npos; }

double floor_cycles_per_byte(const SpeedRun& run, bool serial) {
  const double cycles_a_round = serial ? (is_x86(run) ? least_latency_x86 : least_latency) : 1 / most_blocks_a_cycle;
  return run.algorithm.rounds() * cycles_a_round / block;
}

std::string mode_text(bool serial) {
  return serial ? "each block waits for the one before" : "blocks do not wait for each other";
}

/// Bytes a second, by the text, against what is possible at the highest clock.
void explain_rate(Explanation& out, const Subject& subject, bool serial) {
  const SpeedRun& run = *subject.run;
  const Sample* sample = largest(run);
  if (sample == nullptr || sample->bytes < least_bytes) return;
  const auto seconds = seconds_per_call(run, *sample);
  if (!seconds) return;
  const double rate = static_cast<double>(sample->bytes) / *seconds;
  const double most = most_hertz / floor_cycles_per_byte(run, serial);
  if (rate * least_part <= most) return;
  out.infer("below-floor", Sure::certain,
            fmt::format("{}: {} in one process is more than the AES instructions of any {} reach: in {} {}, so {} "
                        "rounds bound it to {} at 6.2 GHz",
                        subject.label, megabytes_text(rate), is_x86(run) ? "x86-64 CPU" : "CPU", run.algorithm.text(),
                        mode_text(serial), run.algorithm.rounds(), megabytes_text(most)));
  out.cause("below-floor", Sure::likely,
            run.invocation.clock == Clock::elapsed
                ? "the work was not done, or not by one thread: look whether its results are checked"
                : "the seconds are CPU time, and the work was done in the kernel, by a device, or not at all");
  out.run_next(speed_command(run));
}

void explain_cycles(Explanation& out, const Subject& subject, std::optional<bool> serial) {
  const SpeedRun& run = *subject.run;
  const double cycles = *run.cycles_per_byte;
  if (run.floor_cycles_per_byte && cycles < least_part * *run.floor_cycles_per_byte) {
    out.infer(
        "below-floor", Sure::certain,
        fmt::format("{}: {} cycles a byte is below {}, what the AES instructions of its unit take on this CPU: an "
                    "error of the measurement",
                    subject.label, significant(cycles), significant(*run.floor_cycles_per_byte)));
    return;
  }
  if (!serial || run.algorithm.key_bits == 0) return;
  const double least = floor_cycles_per_byte(run, *serial);
  const double least_x86 = run.algorithm.rounds() * least_latency_x86 / block;
  const std::string unit = run.cycles_are_ticks ? "ticks" : "cycles";
  if (cycles < least_part * least) {
    out.infer(
        "below-floor", Sure::certain,
        fmt::format("{}: {} {} a byte in {} cannot be core cycles: {}, and {} rounds take at least {} on any CPU that "
                    "is known",
                    subject.label, significant(cycles), unit, run.algorithm.text(), mode_text(*serial),
                    run.algorithm.rounds(), significant(least)));
    out.cause(
        "below-floor", Sure::likely,
        "they are ticks of a time-stamp counter, or of a clock that was given, and the core runs faster than that");
  } else if (*serial && cycles < least_part * least_x86) {
    out.infer(
        "below-floor", Sure::likely,
        fmt::format("{}: {} {} a byte in {} are no core cycles, if this is x86-64: {}, and {} rounds take at least {} "
                    "there",
                    subject.label, significant(cycles), unit, run.algorithm.text(), mode_text(true),
                    run.algorithm.rounds(), significant(least_x86)));
  }
}

}  // namespace

void find_floor(Explanation& out) {
  std::vector<const Subject*> ticks;
  for (const Subject& subject : out.subjects) {
    const SpeedRun& run = *subject.run;
    if (run.cycles_are_ticks) ticks.push_back(&subject);
    if (run.below_floor)
      out.infer("below-floor", Sure::certain,
                fmt::format("{}: an error of the measurement: {}", subject.label, run.not_timed));
    if (!run.algorithm.aes) continue;
    const auto serial = run.algorithm.serial();
    if (run.cycles_per_byte) explain_cycles(out, subject, serial);
    if (serial && run.algorithm.key_bits != 0) explain_rate(out, subject, *serial);
  }
  if (ticks.empty()) return;
  out.fact("ticks",
           fmt::format("{}: \"cycles\" of {} are ticks of the time-stamp counter, which has a rate of its own, "
                       "whatever the core does",
                       labels(ticks), name(ticks.front()->run->invocation.tool)));
  out.run_next("aesgate perf --backend botan");
}

}  // namespace aesgate::explain
