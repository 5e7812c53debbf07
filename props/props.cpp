#include "props.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <vector>

#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include "core/case_text.h"
#include "emulator/emulator.h"

namespace aesgate {
namespace props {
namespace {

/// One law on one shape of one backend: what RapidCheck asks again and again, and what came of it.
class LawTest {
 public:
  LawTest(const Law& law, const aesgate_backend& backend, const Shape& shape, std::uint64_t seed, Record& record,
          Allowance& allowance)
      : law_(law), backend_(backend), shape_(shape), seed_(seed), record_(record), allowance_(allowance) {}

  /// One test, or one step of shrinking. False: the law, or a Case by itself, does not hold.
  bool holds(const Draft& draft) {
    if (done_) return true;
    if (!broken_) {
      ++test_;
      if (!allowance_.next()) return true;
    }
    Trial trial(backend_, fmt::format("law {}, seed {}, test {}", law_.name, seed_, test_));
    std::string what = law_.check(trial, draft);
    allowance_.spend(trial.time());
    if (trial.oracle_error()) return stop([&] { oracle_failed(trial); });
    if (trial.ended_early()) what.clear();
    const bool failed = !what.empty() || std::ranges::any_of(trial.runs(), is_failed);
    if (!broken_) record_agreeing(trial);
    if (failed) {
      // What broke the law is shrunk to what still breaks it, not to any failure that is smaller.
      if (broken_ && !broken_->what.empty() && what.empty()) return true;
      broken_.emplace(Broken{std::move(trial), std::move(what)});
      return false;
    }
    if (const Run* run = first_not_runnable(trial)) return stop([&] { not_runnable(*run); });
    if (!trial.why_not_applicable().empty()) return stop([&] { not_applicable(trial.why_not_applicable()); });
    return true;
  }

  /// Puts the smallest failure, if there is one, into the record.
  void report() {
    if (!broken_) return;
    const auto& runs = broken_->trial.runs();
    const Run* culprit = nullptr;
    for (const Run& run : runs)
      if (is_failed(run) && (culprit == nullptr || run.c.length < culprit->c.length)) culprit = &run;
    if (culprit == nullptr) return report_without_culprit();
    Judgement judgement = culprit->judgement;
    judgement.reason += broken_->what.empty() ? fmt::format("; seen in a test of law {}", law_.name)
                                              : fmt::format("; this breaks law {}: {}", law_.name, broken_->what);
    record_.judged(Suite::laws, backend_, culprit->c, judgement);
  }

  [[nodiscard]] bool has_failed() const { return broken_.has_value(); }
  [[nodiscard]] bool may_go_on() const { return may_go_on_; }

 private:
  struct Broken {
    Trial trial;
    std::string what;  // what the law says, or empty if a Case failed by itself
  };

  static bool is_failed(const Run& run) { return is_failure(run.judgement.verdict); }

  static const Run* first_not_runnable(const Trial& trial) {
    static constexpr std::array verdicts{Verdict::unsupported, Verdict::unavailable, Verdict::declined};
    for (const Run& run : trial.runs())
      if (std::ranges::find(verdicts, run.judgement.verdict) != verdicts.end()) return &run;
    return nullptr;
  }

  /// Ends the law: whatever RapidCheck still asks, holds() says yes.
  template <typename Report>
  bool stop(Report report) {
    done_ = true;
    report();
    return true;
  }

  void record_agreeing(const Trial& trial) {
    for (const Run& run : trial.runs())
      if (run.judgement.verdict == Verdict::agree) record_.judged(Suite::laws, backend_, run.c, run.judgement);
  }

  void oracle_failed(const Trial& trial) {
    may_go_on_ = false;
    record_.oracle_failed(Suite::laws, trial.runs().back().c, "oracles",
                          {Verdict::mismatch, trial.oracle_error()->message, {}});
  }

  void not_runnable(const Run& run) {
    // The law needs another shape, which the backend need not have; that shape's own tests say so too.
    if (run.c.shape != shape_ && run.judgement.verdict == Verdict::unsupported)
      return not_applicable(fmt::format("it needs {}, which this backend does not do", name(run.c.shape)));
    may_go_on_ = false;
    record_.judged(Suite::laws, backend_, run.c, run.judgement);
  }

  void not_applicable(const std::string& why) {
    // One note for all shapes: which ones, follows from the reason.
    record_.note(fmt::format("{}: law {} was not tested in every shape: {}", backend_.name, law_.name, why));
  }

  /// Every Case agrees with the oracles by itself, and yet the law is broken: the backend does not
  /// do the same each time, or an oracle is wrong. The last Case stands for all.
  void report_without_culprit() {
    const auto& runs = broken_->trial.runs();
    std::string others;
    for (const Run& run : runs) {
      if (&run == &runs.back()) continue;
      std::string text = to_text(run.c);
      std::ranges::replace(text, '\n', ';');
      others += fmt::format(" [{}]", text);
    }
    record_.judged(
        Suite::laws, backend_, runs.back().c,
        {Verdict::mismatch,
         fmt::format("this breaks law {}: {}; yet each Case by itself agrees with the oracles; before it ran:{}",
                     law_.name, broken_->what, others.empty() ? " nothing" : others),
         {}});
  }

  const Law& law_;
  const aesgate_backend& backend_;
  const Shape shape_;
  const std::uint64_t seed_;
  Record& record_;
  Allowance& allowance_;
  std::uint64_t test_ = 0;
  std::optional<Broken> broken_;  // the smallest so far
  bool done_ = false;
  bool may_go_on_ = true;
};

/// RapidCheck's seed: each law on each shape has its own, which the laws and shapes beside it do not change.
std::uint64_t seed_of(const Law& law, const Shape& shape, std::uint64_t seed) {
  std::uint64_t state = mix(mix(seed) + index(shape));
  for (const char c : law.name) state = mix(state + static_cast<unsigned char>(c));
  return state;
}

/// What a backend says to an empty message of a shape: nothing if it does the shape.
std::optional<Judgement> why_not(const aesgate_backend& backend, const Shape& shape, Record& record) {
  Case empty = make_case(shape, Key(shape.key_size), {}, {}, 0);
  empty.origin = "the empty message that asks if a backend does a shape";
  Judgement judgement = judge(empty, execute(backend, empty), {});
  // Not to be lost: a backend that hangs is not called any more after a few times.
  if (is_without_answer(judgement.verdict)) {
    record.expect(1);
    record.judged(Suite::laws, backend, empty, judgement);
  }
  if (judgement.verdict == Verdict::unsupported || judgement.verdict == Verdict::unavailable) return judgement;
  return std::nullopt;
}

}  // namespace

std::uint64_t tests_per_law(Effort effort) {
  switch (effort) {
    case Effort::quick: return 20;
    case Effort::normal: return 100;
    case Effort::deep: return 50'000;
  }
  return 0;
}

std::optional<std::chrono::milliseconds> time_per_law(const aesgate_backend& backend, Effort effort) {
  // In normal effort software takes 1 to 5 ms; what is emulated shows no more of the unit in more of it.
  if (effort == Effort::deep) return std::nullopt;
  return std::chrono::milliseconds(effort == Effort::quick || emulator::is_emulated(backend) ? 8 : 30);
}

Result<bool> run_law(const Law& law, const aesgate_backend& backend, const Shape& shape, std::uint64_t tests,
                     std::uint64_t seed, Record& record, Allowance& allowance) {
  LawTest test(law, backend, shape, seed, record, allowance);
  const rc::Gen<Draft> generator = drafts(shape, law.min_units(shape.mode));
  rc::detail::TestParams params;
  params.seed = seed_of(law, shape, seed);
  params.maxSuccess = static_cast<int>(tests);
  // Not rc::check(), which reads RC_PARAMS and prints; and the property is a generator mapped by hand, since in a
  // callable RapidCheck keeps the generators it asks in one stack of the process (ImplicitParam), which two threads
  // would share.
  const rc::detail::Property property = rc::gen::map(generator, [&](const Draft& draft) {
    using rc::detail::CaseResult;
    const auto type = test.holds(draft) ? CaseResult::Type::Success : CaseResult::Type::Failure;
    return rc::detail::CaseDescription{CaseResult(type), {}, [] { return rc::detail::Example(); }};
  });
  rc::detail::TestListenerAdapter silent;
  const rc::detail::TestResult result = rc::detail::checkProperty(property, {}, params, silent, {});
  test.report();
  if (!result.is<rc::detail::SuccessResult>() && !test.has_failed()) {
    std::ostringstream why;
    rc::detail::printResultMessage(result, why);
    return error("law {} on {} {}: RapidCheck gave up: {}", law.name, backend.name, name(shape), why.str());
  }
  return test.may_go_on();
}

}  // namespace props

Result<void> run_props(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record) {
  const std::uint64_t tests = props::tests_per_law(plan.effort);
  std::vector<Shape> shapes;
  for (const Shape& shape : plan.shapes(mode)) {
    if (const auto why = props::why_not(backend, shape, record)) {
      record.not_run(Suite::laws, backend, shape, why->verdict, why->reason);
      continue;
    }
    shapes.push_back(shape);
    for (const props::Law* law : props::laws())
      if (law->applies(shape)) record.expect(tests * law->cases);
  }
  const auto time = props::time_per_law(backend, plan.effort);
  std::uint64_t asked = 0;
  std::uint64_t ran = 0;
  for (const Shape& shape : shapes)
    for (const props::Law* law : props::laws()) {
      if (!law->applies(shape)) continue;
      Allowance allowance(time, tests);
      const Result<bool> go_on = props::run_law(*law, backend, shape, tests, plan.seed, record, allowance);
      if (!go_on) return tl::unexpected(go_on.error());
      if (!*go_on) return {};
      asked += allowance.asked();
      ran += allowance.ran();
      record.expect_fewer((allowance.asked() - allowance.ran()) * law->cases);
    }
  if (ran < asked)
    record.note(fmt::format("laws: {} {} ran {} of {} tests: all would have taken it more than {} ms a law and shape",
                            backend.name, name(mode), ran, asked, time->count()));
  return {};
}

}  // namespace aesgate
