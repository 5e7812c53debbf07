#include "witness/traced_program.h"

#include <cerrno>

#include <sys/resource.h>

#include "witness/tracer.h"

namespace aesgate::witness {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
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
  run.user_seconds = seconds(after.ru_utime) - seconds(before.ru_utime);
  run.system_seconds = seconds(after.ru_stime) - seconds(before.ru_stime);
  if (const int wrong = failure_of_exec(tracer.started()); wrong != 0)
    run.end = {ProgramEnd::How::not_executed, wrong, run.end.timed_out};
  return run;
}

}  // namespace aesgate::witness
