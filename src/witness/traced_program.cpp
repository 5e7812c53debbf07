#include "witness/traced_program.h"

#include <algorithm>
#include <cerrno>

#include <sys/resource.h>

#include "witness/tracer.h"

namespace aesgate::witness {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// The kernel adds up what was waited for, to the microsecond; what nobody waited for, such as a daemon, is only in the
/// times of threads.
void set_times(TracedRun& run, const rusage& before, const rusage& after, const ThreadTimes& traced) {
  const double all_traced = std::chrono::duration<double>(traced.all).count();
  run.user_seconds = seconds(after.ru_utime) - seconds(before.ru_utime);
  run.system_seconds = seconds(after.ru_stime) - seconds(before.ru_stime);
  const double not_waited_for = all_traced - (run.user_seconds + run.system_seconds);
  if (not_waited_for <= 0) return;
  const double system_ticks = std::chrono::duration<double>(traced.system).count();
  const double in_kernel = std::clamp(system_ticks - run.system_seconds, 0.0, not_waited_for);
  run.system_seconds += in_kernel;
  run.user_seconds += not_waited_for - in_kernel;
}

}  // namespace

int ProgramEnd::status() const {
  if (timed_out) return 124;
  switch (how) {
    case How::exited: return number;
    case How::signalled: return 128 + number;
    case How::not_executed: return number == ENOENT ? 127 : 126;
  }
  return number;
}

Result<TracedRun> trace_program(const TraceOptions& options) {
  TracedRun run;
  run.arguments = options.arguments;
  rusage before{}, after{};
  getrusage(RUSAGE_CHILDREN, &before);
  const auto began = Tracer::Clock::now();
  Tracer tracer(options, run);
  if (const auto started = tracer.start(); !started) return tl::unexpected(started.error());
  tracer.run();
  run.wall_seconds = std::chrono::duration<double>(Tracer::Clock::now() - began).count();
  getrusage(RUSAGE_CHILDREN, &after);
  set_times(run, before, after, tracer.times());
  if (const int wrong = failure_of_exec(tracer.started()); wrong != 0)
    run.end = {ProgramEnd::How::not_executed, wrong, run.end.timed_out};
  return run;
}

}  // namespace aesgate::witness
