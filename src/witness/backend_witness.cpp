#include "witness/backend_witness.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/trap.h"
#include "emulator/stand_in.h"
#include "witness/backend_worker.h"
#include "witness/program.h"
#include "witness/single_step.h"

namespace aesgate::witness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned most_workers = 3;

/// For what no alarm ends; a worker that steps all that it may takes less.
constexpr std::chrono::seconds worker_limit{120};

std::string how_it_ended(const ProgramRun& run, std::chrono::seconds limit) {
  if (run.timed_out) return fmt::format("no end in {} s", worker_limit.count());
  if (run.signal == SIGALRM) return fmt::format("no end in {} s", limit.count());
  return run.signal != 0 ? fmt::format("its process ended by {}", signal_name(run.signal))
                         : fmt::format("it called exit({})", run.status.value_or(0));
}

/// The worker as a forked child, for what only this process has emulated.
ProgramRun run_forked(const BackendJob& job) {
  const int answer = memfd_create("answer", MFD_CLOEXEC);
  const pid_t child = answer < 0 ? -1 : fork();
  if (child < 0) {
    const int wrong = errno;
    if (answer >= 0) close(answer);
    throw std::system_error(wrong, std::generic_category(), "no child to witness");
  }
  if (child == 0) {
    dup2(answer, STDOUT_FILENO);
#ifdef PR_SET_PTRACER
    // The supervisor reads this process, too; where Yama has a child's reach end, only if it may.
    if (const auto supervisor = emulator::supervisor()) prctl(PR_SET_PTRACER, *supervisor, 0, 0, 0);
#endif
    work_as_witness(job);
  }
  ProgramRun run;
  int status = 0;
  const auto end = Clock::now() + worker_limit;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (!run.timed_out && Clock::now() > end) run.timed_out = kill(child, SIGKILL) == 0;
    usleep(2000);
  }
  if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  char text[1 << 14];
  lseek(answer, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(answer, text, sizeof text)) > 0;)
    run.out.append(text, static_cast<std::size_t>(got));
  close(answer);
  return run;
}

class Witness {
 public:
  Witness(const BackendSubject& subject, const WitnessRequest& request) : request_(request) { seen_.subject = subject; }

  BackendWitness run() {
    const auto start = Clock::now();
    static const std::string why_none = why_no_single_steps();
    if (!why_none.empty())
      unknown(why_none);
    else
      look();
    seen_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return std::move(seen_);
  }

 private:
  void unknown(std::string why) { seen_.conclusion.reason = std::move(why); }

  void look() {
    BackendJob job = first_job();
    for (unsigned workers = 0; !job.shapes.empty(); ++workers) {
      if (workers == most_workers) {
        for (const std::size_t shape : job.shapes) add_unseen(shape, "not looked at any more");
        break;
      }
      const bool forked = seen_.subject.emulated && parse_claim(seen_.subject.unit) == Claim::kernel;
      const ProgramRun run =
          forked ? run_forked(job) : run_program({"/proc/self/exe", witness_argument, to_text(job)}, worker_limit);
      const BackendAnswer answer = parse_backend_answer(run.out);
      if (!answer.unavailable.empty()) return unknown(fmt::format("unavailable: {}", answer.unavailable));
      if (!answer.failed.empty()) return unknown(answer.failed);
      take(answer, job);
      if (answer.complete || job.shapes.empty()) break;
      if (answer.shapes.empty() && answer.unsupported.empty() && answer.remark.empty() && workers == 0 &&
          !run.timed_out && run.signal == 0 && run.status == 2)
        return unknown("its worker did not understand what it was asked");
      add_unseen(job.shapes.front(), how_it_ended(run, request_.limit));
      job.shapes.erase(job.shapes.begin());
    }
    seen_.conclusion = conclude(seen_.subject.unit, seen_.shapes);
  }

  [[nodiscard]] BackendJob first_job() const {
    BackendJob job;
    job.parent = getpid();
    const BackendSubject& subject = seen_.subject;
    job.plugin = subject.plugin.empty() ? "" : std::filesystem::absolute(subject.plugin).string();
    job.backend = subject.spec;
    job.shapes = request_.shapes;
    job.budget = request_.budget;
    job.limit = request_.limit;
    return job;
  }

  /// What a worker said; the shapes that it said nothing of stay in the job.
  void take(const BackendAnswer& answer, BackendJob& job) {
    const auto done = [&job](std::size_t shape) { std::erase(job.shapes, shape); };
    if (!answer.remark.empty()) seen_.served_by = answer.remark;
    for (const std::size_t shape : answer.unsupported) {
      seen_.unsupported.push_back(shape);
      done(shape);
    }
    for (const ShapeEvidence& evidence : answer.shapes) {
      seen_.evidence.push_back(evidence);
      seen_.shapes.push_back(judge_shape(seen_.subject.unit, evidence));
      done(evidence.shape);
    }
    seen_.interrupts.insert(seen_.interrupts.end(), answer.interrupts.begin(), answer.interrupts.end());
  }

  void add_unseen(std::size_t shape, std::string why) {
    ShapeEvidence evidence;
    evidence.shape = shape;
    evidence.call.reason = std::move(why);
    seen_.evidence.push_back(evidence);
    seen_.shapes.push_back(judge_shape(seen_.subject.unit, evidence));
  }

  const WitnessRequest& request_;
  BackendWitness seen_;
};

/// One or two of each mode, all key sizes and both directions among them.
bool is_representative(const Shape& shape) {
  const auto mode = static_cast<std::size_t>(shape.mode);
  const bool decrypts = shape.direction == Direction::decrypt;
  if (decrypts && (shape.mode == Mode::ofb || shape.mode == Mode::cfb1 || shape.mode == Mode::cfb8)) return false;
  return shape.key_size == all_key_sizes[(mode + (decrypts ? 1 : 0)) % all_key_sizes.size()];
}

}  // namespace

WitnessRequest WitnessRequest::quick(const BackendSubject& subject, const std::vector<std::size_t>& shapes) {
  WitnessRequest request;
  request.shapes = shapes;
  request.limit = std::chrono::seconds(2);
  request.budget = {1u << 16, 1u << 14, 200, 200, 256};
  const Claim claim = parse_claim(subject.unit);
  if (claim != Claim::none && claim != Claim::any && claim != Claim::gfni && claim != Claim::other) return request;
  const auto others = std::stable_partition(request.shapes.begin(), request.shapes.end(),
                                            [](std::size_t shape) { return is_representative(all_shapes()[shape]); });
  if (subject.plugin.empty() && others != request.shapes.begin()) request.shapes.erase(others, request.shapes.end());
  return request;
}

BackendWitness witness_backend(const BackendSubject& subject, const WitnessRequest& request) {
  return Witness(subject, request).run();
}

}  // namespace aesgate::witness
