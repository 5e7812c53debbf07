#include "perf/count.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "core/driver.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/registry.h"
#include "core/session.h"
#include "oracle/oracle.h"
#include "perf/judged_case.h"
#include "perf/llvm_mca.h"
#include "perf/model_call.h"
#include "witness/single_step.h"

namespace aesgate {
namespace {

Result<void> validate(const Plan& plan, const CountRunOptions& options) {
  if (plan.backends.empty()) return error("perf: no backend is chosen");
  for (const std::size_t bytes : options.sizes) {
    if (bytes == 0 || bytes > CountRunOptions::max_bytes)
      return error("perf: a size of {} bytes; single steps take 1 to {}", bytes, CountRunOptions::max_bytes);
    for (const Mode mode : plan.modes)
      if (!takes_length(mode, bytes))
        return error("perf: a size of {} bytes, but {} takes multiples of {}", bytes, name(mode), block_bytes);
  }
  return {};
}

/// One run over all cells.
class Run {
 public:
  Run(const Plan& plan, const CountRunOptions& options, Record& record, const CountProgress& progress)
      : plan_(plan), options_(options), record_(record), progress_(progress) {}

  Result<CountReport> run() {
    report_.host = describe_host();
    if (const auto ready = find_modeller(); !ready) return tl::unexpected(ready.error());
    report_.stepping = witness::why_no_single_steps();
    for (const Mode mode : plan_.modes)
      for (const Direction direction : options_.directions)
        for (const KeySize key_size : options_.key_sizes)
          for (const aesgate_backend* backend : plan_.backends) add_cells(*backend, {mode, direction, key_size});
    record_.expect(report_.results.size());
    for (std::size_t i = 0; i < report_.results.size(); ++i) {
      CountResult& result = report_.results[i];
      if (const auto counted = count(*backends_[i], result); !counted) return tl::unexpected(counted.error());
      if (progress_) progress_(i + 1, report_.results.size(), result);
    }
    return std::move(report_);
  }

 private:
  Result<void> find_modeller() {
    if (options_.models.empty()) return {};
    auto found = LlvmMca::find();
    if (!found) return tl::unexpected(found.error());
    for (const std::string& cpu : options_.models)
      if (const auto known = found->check_cpu(cpu); !known) return known;
    report_.modeller = "llvm-mca " + found->version();
    report_.models = options_.models;
    mca_ = std::move(*found);
    return {};
  }

  /// By size, the small ones first: what is too long for one is for the next.
  void add_cells(const aesgate_backend& backend, const Shape& shape) {
    std::vector<std::size_t> sizes = options_.sizes.empty() ? default_count_sizes(shape.mode) : options_.sizes;
    std::ranges::sort(sizes);
    for (const std::size_t bytes : sizes) {
      CountResult& result = report_.results.emplace_back();
      result.backend = backend.name;
      result.shape = shape;
      result.bytes = bytes;
      result.in_place = options_.in_place;
      backends_.push_back(&backend);
    }
  }

  Result<void> count(const aesgate_backend& backend, CountResult& result) {
    const Workload workload{result.shape, result.bytes, result.in_place, plan_.seed};
    if (!can_be_counted(backend, result)) {
      record_.not_run(Suite::perf, backend, result.shape, result.verdict, result.reason);
      return {};
    }
    const Case c = make_judged_case(workload, plan_.seed);
    const auto answer = answer_for(workload, c);
    if (!answer) return tl::unexpected(answer.error());
    const Judgement judgement = judge(c, execute(backend, c), **answer);
    record_.judged(Suite::perf, backend, c, judgement);
    refuse(result, judgement.verdict, judgement.reason);
    if (!result.counted()) return {};
    // The code of an isolated backend is stepped through here, in children of this process.
    const auto here = callable(backend);
    if (!here) return tl::unexpected(here.error());
    const CountedCall call = count_instructions(**here, workload, options_.count);
    refuse(result, call.verdict, call.reason);
    if (is_failure(call.verdict)) record_.judged(Suite::perf, backend, c, {call.verdict, call.reason, {}});
    if (!call.counted()) return {};
    result.instructions = call.instructions;
    result.aes_instructions = call.aes_instructions;
    if (mca_) result.modelled = model_call(*mca_, call, report_.models);
    return {};
  }

  bool can_be_counted(const aesgate_backend& backend, CountResult& result) {
    if (std::string why = why_unavailable(backend); !why.empty())
      refuse(result, Verdict::unavailable, std::move(why));
    else if (!Session::supports(backend, result.shape))
      refuse(result, Verdict::unsupported, "this backend does not do it");
    else if (std::string seen = why_not_countable(backend); !seen.empty())
      refuse(result, Verdict::declined, std::move(seen));
    else if (!report_.stepping.empty())
      refuse(result, Verdict::declined, report_.stepping);
    else if (const CountResult* shorter = too_long(result))
      refuse(result, Verdict::declined, shorter->reason);
    else
      return true;
    return false;
  }

  /// The cell before it, of the same backend and shape, if that took too many instructions.
  const CountResult* too_long(const CountResult& result) const {
    if (&result == report_.results.data()) return nullptr;
    const CountResult& before = *(&result - 1);
    const bool alike = before.backend == result.backend && before.shape == result.shape;
    return alike && before.verdict == Verdict::declined ? &before : nullptr;
  }

  static void refuse(CountResult& result, Verdict verdict, std::string reason) {
    result.verdict = verdict;
    result.reason = std::move(reason);
  }

  /// The oracles' answer is the same for every backend.
  Result<const Answer*> answer_for(const Workload& workload, const Case& c) {
    const auto key = std::pair(index(workload.shape), workload.bytes);
    if (const auto known = answers_.find(key); known != answers_.end()) return &known->second;
    auto answer = ask(c);
    if (!answer) return tl::unexpected(answer.error());
    return &answers_.emplace(key, std::move(*answer)).first->second;
  }

  const Plan& plan_;
  const CountRunOptions& options_;
  Record& record_;
  const CountProgress& progress_;
  std::optional<LlvmMca> mca_;
  std::vector<const aesgate_backend*> backends_;  // by result
  std::map<std::pair<std::size_t, std::size_t>, Answer> answers_;
  CountReport report_;
};

}  // namespace

std::vector<std::size_t> default_count_sizes(Mode mode) {
  switch (mode) {
    case Mode::cfb1: return {1, 2, 8};
    case Mode::cfb8: return {1, 16, 64};
    default: return {16, 64, 256, 512, 1024};
  }
}

std::size_t CountReport::counted() const {
  return static_cast<std::size_t>(std::ranges::count_if(results, &CountResult::counted));
}

bool CountReport::has_failure() const {
  return std::ranges::any_of(results, [](const CountResult& result) { return is_failure(result.verdict); });
}

int exit_status(const CountReport& report) {
  if (report.has_failure()) return 1;
  return report.counted() == 0 ? 3 : 0;
}

Result<CountReport> run_count(const Plan& plan, const CountRunOptions& options, Record& record,
                              const CountProgress& progress) {
  if (const auto valid = validate(plan, options); !valid) return tl::unexpected(valid.error());
  return Run(plan, options, record, progress).run();
}

}  // namespace aesgate
