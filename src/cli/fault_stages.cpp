#include "cli/fault_stages.h"

#include <algorithm>
#include <chrono>

#include "cli/stages.h"
#include "core/driver.h"
#include "core/execute.h"
#include "core/registry.h"
#include "core/session.h"
#include "fuzz/fuzz.h"

namespace aesgate {
namespace {

/// Executes what the stage takes, until the record has a finding. Shrinking comes before that and goes on as ever.
class UntilCaught final : public Driver {
 public:
  UntilCaught(const aesgate_backend& backend, const FaultStage& stage, const Record& record)
      : inner_(backend),
        stage_(stage),
        record_(record),
        info_{backend.name, backend.kind, backend.unit, backend.description, false},
        backend_(driven_backend(*this, info_)) {}

  [[nodiscard]] const aesgate_backend& backend() const { return backend_; }

  Outcome execute(const Case& c) override {
    if (!record_.has_finding() && stage_.takes(c)) return aesgate::execute(inner_, c);
    Outcome outcome;
    outcome.reason = record_.has_finding() ? "there is a finding already" : "not of this part of the stage";
    outcome.cut_short = Verdict::declined;
    return outcome;
  }

  [[nodiscard]] std::string why_unavailable() const override { return aesgate::why_unavailable(inner_); }
  [[nodiscard]] bool supports(const Shape& shape) const override { return Session::supports(inner_, shape); }
  [[nodiscard]] Result<const aesgate_backend*> configure(const std::string&) override { return error("no options"); }
  [[nodiscard]] Result<const aesgate_backend*> in_process() override { return callable(inner_); }

 private:
  const aesgate_backend& inner_;
  const FaultStage& stage_;
  const Record& record_;
  const DrivenInfo info_;
  const aesgate_backend backend_;
};

}  // namespace

const std::vector<FaultStage>& fault_stages() {
  static const auto all = [](const Case&) { return true; };
  static const std::vector<FaultStage> stages{
      {"kat", kat_stage().run, [](const Case& c) { return c.monte_carlo_steps == 0; }},
      {"monte carlo", kat_stage().run, [](const Case& c) { return c.monte_carlo_steps > 0; }},
      {"props", props_stage().run, all},
      {"boundary", run_boundary, all},
      {"random", run_random, all}};
  return stages;
}

Result<Seen> run_until_caught(const FaultStage& stage, const aesgate_backend& backend, const Plan& plan,
                              std::optional<Mode> first, const std::filesystem::path& case_folder) {
  const auto start = std::chrono::steady_clock::now();
  Record record(case_folder);
  UntilCaught driver(backend, stage, record);
  Plan one = plan;
  one.backends = {&driver.backend()};
  if (first) std::stable_partition(one.modes.begin(), one.modes.end(), [&](Mode mode) { return mode == *first; });
  for (const Mode mode : one.modes) {
    if (const auto ran = stage.run(driver.backend(), mode, one, record); !ran) return tl::unexpected(ran.error());
    if (record.has_oracle_failure()) return error("{}: the oracles do not hold; see aesgate verify", stage.name);
    if (record.has_finding()) break;
  }
  const Tally tally = record.tally({});
  Seen seen;
  seen.caught = record.has_finding();
  seen.cases = tally.count(Verdict::agree) + tally.failures();
  seen.ran = seen.cases > 0;
  seen.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  seen.notes = record.notes();
  if (seen.caught) {
    seen.first = record.findings().front().judgement.reason;
    seen.mode = record.findings().front().shape.mode;
  } else if (!seen.ran) {
    for (const Verdict verdict : {Verdict::unavailable, Verdict::unsupported})
      if (seen.first.empty()) seen.first = tally.reason(verdict);
  }
  return seen;
}

}  // namespace aesgate
