#include "props/constant_time/worker.h"

#include <csignal>
#include <exception>
#include <string_view>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "abi/aesgate_backend.h"
#include "core/plugin.h"
#include "core/registry.h"
#include "core/session.h"
#include "core/write_file.h"
#include "props/constant_time/job.h"
#include "props/constant_time/memcheck_job.h"
#include "props/constant_time/trace_job.h"

namespace aesgate::constant_time {
namespace {

void say(const std::string& line) { (void)write_all(STDOUT_FILENO, line); }

Result<const aesgate_backend*> load(const Job& job) {
  if (job.plugin.empty()) return find_backend(job.backend);
  const auto backends = load_plugin(job.plugin);
  if (!backends) return tl::unexpected(backends.error());
  return find_backend(job.backend, *backends);
}

/// What is asked of all shapes of a job; each is said when it is known.
Result<void> work(const Job& job) {
  const auto backend = load(job);
  if (!backend) return tl::unexpected(backend.error());
  if (const std::string why = why_unavailable(**backend); !why.empty()) {
    say(unavailable_line(why));
    return {};
  }
  for (const std::size_t shape : job.shapes) {
    if (!Session::supports(**backend, all_shapes()[shape])) continue;
    const ShapeAnswer answer = job.method == Method::memcheck ? check_with_memcheck(job, **backend, shape)
                                                              : check_with_traces(job, **backend, shape);
    say(shape_line(answer));
  }
  return {};
}

/// Dies with the process that waits for it, and leaves no core file.
void prepare_process(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

[[noreturn]] void work_and_exit(std::string_view text) {
  const auto job = parse_job(text);
  if (!job) _exit(2);
  prepare_process(job->parent);
  say(program_line(witness::loaded_program()));
  try {
    if (const auto worked = work(*job); !worked)
      say(failed_line(worked.error().message));
    else
      say(end_line());
  } catch (const std::exception& exception) {
    say(failed_line(exception.what()));
  } catch (...) {
    say(failed_line("a C++ exception of a type of its own"));
  }
  _exit(0);  // what a backend registered for the end of the process is not ours to run
}

}  // namespace

void work_if_worker(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == worker_argument) work_and_exit(argv[2]);
}

}  // namespace aesgate::constant_time
