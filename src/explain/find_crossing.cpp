// Does each call cross into the kernel? Its set-up tells: software takes well under a microsecond; known crossings took
// 5 µs (/dev/crypto without a device), 12 (AF_ALG on a router), 40 and 55 (devices behind DMA).

#include <algorithm>

#include <fmt/format.h>

#include "explain/explanation.h"
#include "explain/quantity.h"

namespace aesgate::explain {
namespace {

constexpr double block = 16;

/// Below this no kernel answers, on whatever CPU: two system calls, checks of the buffers, the key's look-up.
constexpr double none_on_any_cpu = 0.4e-6;
/// Below this neither, if a block takes so long that the CPU is a slow one.
constexpr double none_on_slow_cpus = 2e-6;
constexpr double least_of_crossings = 4e-6;

bool shows_none(const Fit& line) {
  const double most = line.setup + line.setup_error;
  return most < none_on_any_cpu || (most < none_on_slow_cpus && line.setup < 2 * block * line.per_byte);
}

bool shows_crossing(const Fit& line) {
  return line.setup - line.setup_error > least_of_crossings && line.setup > block * line.per_byte;
}

/// Would time that a call spends in the kernel be in these times?
bool is_elapsed(const Subject& subject) {
  return subject.run->invocation.clock == Clock::elapsed || subject.share.has_value();
}

/// CPU times without what they are a part of: a crossing does not show in them.
bool lacks_the_kernel(const Subject& subject) { return subject.run->invocation.clock == Clock::cpu && !subject.share; }

std::string range_of_setups(const std::vector<const Subject*>& subjects) {
  double least = subjects.front()->line->setup, most = least;
  for (const Subject* subject : subjects) {
    least = std::min(least, subject->line->setup);
    most = std::max(most, subject->line->setup);
  }
  least = std::max(least, 0.0);
  most = std::max(most, 0.0);
  return least == most ? duration_text(most) : fmt::format("{} to {}", duration_text(least), duration_text(most));
}

void explain_by_construction(Explanation& out, const std::vector<const Subject*>& subjects) {
  if (subjects.empty()) return;
  out.fact("kernel-crossing",
           fmt::format("{}: {} hands each call to the kernel through an AF_ALG socket: set-up and copy "
                       "are in its figures",
                       labels(subjects), name(subjects.front()->run->invocation.tool)));
}

}  // namespace

void find_crossing(Explanation& out) {
  std::vector<const Subject*> none, unclear, by_construction;
  std::vector<const Subject*> bent;
  for (const Subject& subject : out.subjects) {
    const Tool tool = subject.run->invocation.tool;
    if (tool == Tool::kcapi || tool == Tool::cryptsetup) {
      by_construction.push_back(&subject);
    } else if (!subject.line || tool != Tool::openssl || lacks_the_kernel(subject)) {
      continue;
    } else if (!subject.line->straight()) {
      bent.push_back(&subject);
    } else if (shows_crossing(*subject.line)) {
      out.infer("kernel-crossing", is_elapsed(subject) ? Sure::very_likely : Sure::likely,
                fmt::format("{}: each call crosses into the kernel or waits for a device: a set-up of {} a call is far "
                            "more than software needs (under 1 µs)",
                            subject.label, duration_text(subject.line->setup, subject.line->setup_error)));
    } else if (shows_none(*subject.line)) {
      none.push_back(&subject);
    } else {
      unclear.push_back(&subject);
    }
  }
  if (!none.empty()) {
    const bool elapsed = std::all_of(none.begin(), none.end(), [](const Subject* s) { return is_elapsed(*s); });
    out.infer("no-kernel-crossing", elapsed ? Sure::very_likely : Sure::likely,
              fmt::format("{}: no call crosses into the kernel: that costs 5 to 55 µs of set-up a call, and here it is "
                          "{}{}",
                          labels(none), range_of_setups(none),
                          elapsed ? "" : "; if these are CPU times, time in the kernel would not show"));
  }
  if (!unclear.empty())
    out.infer("setup-unclear", Sure::possible,
              fmt::format("{}: a set-up of {} a call is more than software takes on a fast CPU and less than crossings "
                          "that were published: it shows neither",
                          labels(unclear), range_of_setups(unclear)));
  if (!bent.empty())
    out.fact("not-straight",
             fmt::format("{}: the times of calls do not lie on a straight line within 10%: set-up and cost a "
                         "byte are a summary, and nothing is concluded from them",
                         labels(bent)));
  explain_by_construction(out, by_construction);
}

}  // namespace aesgate::explain
