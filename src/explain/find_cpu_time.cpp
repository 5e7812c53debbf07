// CPU time that is taken for elapsed time: what openssl speed prints without -elapsed.

#include <algorithm>

#include <fmt/format.h>

#include "core/text_file.h"
#include "explain/explanation.h"
#include "explain/quantity.h"

namespace aesgate::explain {
namespace {

/// Below this share of the CPU, rates per CPU second and per second differ by more than runs do.
constexpr double whole_share = 0.9;

const Sample* with_seconds(const SpeedRun& run) {
  for (auto sample = run.samples.rbegin(); sample != run.samples.rend(); ++sample)
    if (sample->has_seconds && sample->calls > 0) return &*sample;
  return nullptr;
}

/// "3 s of calls are counted as 0.10 s", and what the rate becomes.
void explain_illusion(Explanation& out, const Subject& subject) {
  const SpeedRun& run = *subject.run;
  const Sample* sample = with_seconds(run);
  if (sample == nullptr) return;
  const double elapsed = elapsed_rate(run, *sample);
  const std::string counted =
      sample->seconds > 0
          ? fmt::format("{:.2f} s: {} by that count, {} by the timer", sample->seconds,
                        megabytes_text(static_cast<double>(sample->bytes) * sample->calls / sample->seconds),
                        rate_text(elapsed))
          : fmt::format("0.00 s, which gives no rate at all; {} by the timer", rate_text(elapsed));
  out.fact(
      "cpu-time",
      fmt::format("{}: a timer of elapsed time ended the calls of {} bytes after {:.0f} s, and they are counted as {}",
                  subject.label, sample->bytes, sample->planned_seconds, counted));
  out.infer("cpu-time", Sure::certain,
            fmt::format("the seconds of {} are user CPU time, not elapsed time: neither time in the kernel nor the "
                        "wait for a device is in them{}",
                        subject.label,
                        sample->seconds > 0
                            ? fmt::format(", and the table shows {} what gets done in a second at {} bytes",
                                          times_text(sample->planned_seconds / sample->seconds), sample->bytes)
                            : ""));
  const bool waits = subject.line && subject.line->straight() && subject.line->setup > 2e-6 &&
                     subject.line->setup > 16 * subject.line->per_byte;
  if (waits)
    out.cause("cpu-time", Sure::likely,
              fmt::format("{} waits for the kernel or a device: in elapsed time each call has a set-up of {}",
                          subject.label, duration_text(subject.line->setup)));
  else
    out.cause("cpu-time", Sure::possible,
              fmt::format("something else had the CPU while {} ran: no set-up a call is to be seen that a kernel or a "
                          "device would explain",
                          subject.label));
  out.run_next(speed_command(run));
}

/// The clock is the CPU's, and it made no difference, or none that the text tells.
void explain_clock(Explanation& out, const std::vector<const Subject*>& subjects, bool share_known) {
  if (subjects.empty()) return;
  const bool engine = std::any_of(subjects.begin(), subjects.end(),
                                  [](const Subject* subject) { return !subject->run->invocation.engine.empty(); });
  std::string text =
      fmt::format("{}: {}, so the times are user CPU time", labels(subjects),
                  subjects.front()->run->invocation.command.empty() ? "nothing says that elapsed time was measured"
                                                                    : "the command has no -elapsed");
  const std::string& function = subjects.front()->run->invocation.timing_function;
  if (!function.empty()) text += fmt::format(" ({})", excerpt(function));
  if (share_known) text += fmt::format(", {} of the elapsed time or more", percent_text(whole_share));
  out.fact("cpu-clock", text);
  if (share_known)
    out.infer("cpu-clock", Sure::very_likely,
              fmt::format("{}: the CPU did the work itself all the time and waited for nothing{}", labels(subjects),
                          engine ? "; an offload that is real would have been flattered by these times" : ""));
  else
    out.infer("cpu-clock", Sure::certain,
              fmt::format("{}: work of a kernel or a device is not in these times, and would be flattered",
                          labels(subjects)));
}

}  // namespace

void find_cpu_time(Explanation& out) {
  std::vector<const Subject*> busy, unknown;
  for (const Subject& subject : out.subjects) {
    if (subject.run->invocation.clock != Clock::cpu || subject.run->samples.empty()) continue;
    if (!subject.share || with_seconds(*subject.run) == nullptr)
      unknown.push_back(&subject);
    else if (*subject.share >= whole_share)
      busy.push_back(&subject);
    else
      explain_illusion(out, subject);
  }
  explain_clock(out, busy, true);
  explain_clock(out, unknown, false);
}

}  // namespace aesgate::explain
