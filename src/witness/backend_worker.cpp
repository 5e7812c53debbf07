#include "witness/backend_worker.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <string_view>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/plugin.h"
#include "core/registry.h"
#include "core/session.h"
#include "core/write_file.h"
#include "emulator/emulator.h"
#include "witness/backend_job.h"
#include "witness/interrupts.h"
#include "witness/proof.h"

namespace aesgate::witness {
namespace {

void say(const std::string& line) { (void)write_all(STDOUT_FILENO, line); }

Result<const aesgate_backend*> load(const BackendJob& job) {
  if (job.plugin.empty()) return find_backend(job.backend);
  const auto backends = load_plugin(job.plugin);
  if (!backends) return tl::unexpected(backends.error());
  return find_backend(job.backend, *backends);
}

/// Where one call is refuted, no further ones are looked at: a claim has to hold for all.
void say_shapes(const BackendJob& job, const aesgate_backend& backend) {
  std::vector<std::size_t> supported;
  for (const std::size_t shape : job.shapes) {
    if (Session::supports(backend, all_shapes()[shape]))
      supported.push_back(shape);
    else
      say(unsupported_line(shape));
  }
  StepBudget budget = job.budget;
  if (!is_of_all_calls(parse_claim(backend.unit))) budget.further = 0;
  const auto further = further_calls(supported);
  for (std::size_t i = 0; i < supported.size(); ++i) {
    ShapeEvidence evidence = witness_shape(backend, supported[i], budget, job.limit);
    const auto stop_if_refuted = [&] {
      if (judge_shape(backend.unit, evidence).proof == Proof::refuted) budget.further = 0;
    };
    stop_if_refuted();
    for (const CallKind& kind : further[i]) {
      if (budget.further == 0) break;
      evidence.further_calls.push_back(witness_further(backend, supported[i], kind, budget, job.limit));
      stop_if_refuted();
    }
    say(evidence_line(evidence));
  }
}

/// What is asked of all shapes of a job; each is said when it is known.
Result<void> work(const BackendJob& job) {
  alarm(static_cast<unsigned>(job.limit.count()));
  const auto backend = load(job);
  if (!backend) return tl::unexpected(backend.error());
  if (const std::string why = why_unavailable(**backend); !why.empty()) {
    say(backend_line("unavailable", why));
    return {};
  }
  alarm(0);
  say(backend_line("remark", remark_on(**backend)));
  const Claim claim = parse_claim((*backend)->unit);
  const bool by_device = claim == Claim::kernel || claim == Claim::other;
  const Interrupts before = by_device ? interrupts_now() : Interrupts();
  say_shapes(job, **backend);
  if (by_device)
    for (const std::string& interrupt : interrupts_of_cryptography(before, interrupts_now()))
      say(backend_line("interrupt", interrupt));
  return {};
}

/// Dies with the process that waits for it, and leaves no core file.
void prepare_process(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

/// The stand-ins of other emulators do not reach this process, and it is asked about no backend of theirs.
Result<void> install_padlock_if_asked() {
  const auto names = emulator::named_in_environment();
  if (!names) return tl::unexpected(names.error());
  return std::ranges::find(*names, "padlock") == names->end() ? Result<void>() : emulator::install("padlock");
}

[[noreturn]] void work_and_exit(std::string_view text) {
  const auto job = parse_backend_job(text);
  if (!job) _exit(2);
  if (const auto emulated = install_padlock_if_asked(); !emulated) {
    say(backend_line("failed", emulated.error().message));
    _exit(0);
  }
  work_as_witness(*job);
}

}  // namespace

void work_as_witness(const BackendJob& job) {
  prepare_process(job.parent);
  try {
    if (const auto worked = work(job); !worked)
      say(backend_line("failed", worked.error().message));
    else
      say(end_line());
  } catch (const std::exception& exception) {
    say(backend_line("failed", exception.what()));
  } catch (...) {
    say(backend_line("failed", "a C++ exception of a type of its own"));
  }
  _exit(0);  // what a backend registered for the end of the process is not ours to run
}

void work_if_witness(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == witness_argument) work_and_exit(argv[2]);
}

}  // namespace aesgate::witness
