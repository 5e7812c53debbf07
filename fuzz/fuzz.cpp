#include "fuzz/fuzz.h"

#include "core/allowance.h"
#include "core/execute.h"
#include "core/registry.h"
#include "core/session.h"
#include "fuzz/differential.h"
#include "fuzz/random_cases.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

/// Cases a shape. One takes about 40 microseconds, most of it in the oracle that is spelled out from the text, so that
/// normal effort is near 2 seconds of CPU time a backend. CFB1 and CFB8 call the cipher once a bit and once a byte.
struct Count {
  Mode mode;
  std::size_t quick, normal, deep;
};
constexpr std::array counts{Count{Mode::ecb, 100, 2000, 200'000},    Count{Mode::cbc, 100, 2000, 200'000},
                            Count{Mode::cfb1, 40, 800, 80'000},      Count{Mode::cfb8, 40, 800, 80'000},
                            Count{Mode::cfb128, 100, 2000, 200'000}, Count{Mode::ofb, 100, 2000, 200'000}};

/// The CPU time that a backend may take for a shape before it runs fewer Cases. Software takes up to 50 ms in normal
/// effort.
std::optional<Allowance::Duration> time_per_shape(Effort effort) {
  if (effort == Effort::deep) return std::nullopt;
  return std::chrono::milliseconds(200);
}

/// Judges one Case, and records it. False if the oracles disagree, and nothing can be judged any more.
bool run_case(const aesgate_backend& backend, const Case& c, Record& record, std::size_t& failures,
              Allowance& allowance) {
  const Result<Answer> answer = ask(c);
  if (!answer) {
    record.oracle_failed(Suite::random, c, "oracles", {Verdict::mismatch, answer.error().message, {}});
    return false;
  }
  const auto start = Allowance::thread_time();
  const Outcome outcome = execute(backend, c);
  allowance.spend(Allowance::thread_time() - start);
  const Judgement judgement = judge(c, outcome, *answer);
  // The record keeps the first few failures; only these are worth the time.
  if (is_failure(judgement.verdict) && failures++ < Record::findings_per_cell) {
    const Case reduced = reduce_failure(backend, c, judgement.verdict);
    const Result<Judgement> again = check(backend, reduced);
    if (again && again->verdict == judgement.verdict) {
      record.judged(Suite::random, backend, reduced, *again);
      return true;
    }
  }
  record.judged(Suite::random, backend, c, judgement);
  return true;
}

}  // namespace

Result<void> run_fuzz(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record) {
  const std::vector<Shape> shapes = plan.shapes(mode);
  if (const std::string why = why_unavailable(backend); !why.empty()) {
    for (const Shape& shape : shapes) record.not_run(Suite::random, backend, shape, Verdict::unavailable, why);
    return {};
  }
  const std::size_t count = random_cases_per_shape(mode, plan.effort);
  const auto time = time_per_shape(plan.effort);
  std::size_t failures = 0;
  std::uint64_t asked = 0;
  std::uint64_t ran = 0;
  for (const Shape& shape : shapes) {
    if (!Session::supports(backend, shape)) {
      record.not_run(Suite::random, backend, shape, Verdict::unsupported, "this backend does not do it");
      continue;
    }
    record.expect(count);
    Allowance allowance(time, count);
    for (std::size_t number = 0; number < count; ++number)
      if (allowance.next() && !run_case(backend, random_case(plan.seed, number, shape), record, failures, allowance))
        return {};
    asked += allowance.asked();
    ran += allowance.ran();
    record.expect_fewer(allowance.asked() - allowance.ran());
  }
  if (ran < asked)
    record.note(fmt::format("random: {} {} ran {} of {} cases: all would have taken it more than {} ms a shape",
                            backend.name, name(mode), ran, asked,
                            std::chrono::duration_cast<std::chrono::milliseconds>(*time).count()));
  return {};
}

std::size_t random_cases_per_shape(Mode mode, Effort effort) {
  for (const Count& count : counts) {
    if (count.mode != mode) continue;
    return effort == Effort::quick ? count.quick : effort == Effort::normal ? count.normal : count.deep;
  }
  return 0;
}

}  // namespace aesgate
