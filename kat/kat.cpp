#include "kat/kat.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "core/execute.h"
#include "kat/known_answers.h"
#include "kat/monte_carlo.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

using Clock = std::chrono::steady_clock;

/// A backend that needs longer for a Monte Carlo step is an emulator, a system call per block or the like.
constexpr auto slow_step = std::chrono::milliseconds(5);
/// One that needs so long has several system calls a block, or a supervisor that answers them.
constexpr auto very_slow_step = std::chrono::milliseconds(20);
/// GFSbox 7, 6 and 5, KeySbox 21, 24 and 16, VarKey 128, 192 and 256, VarTxt 128 and MMT 10 a key size, in both
/// directions.
constexpr std::ptrdiff_t nist_vectors_per_mode = 2 * (7 + 6 + 5 + 21 + 24 + 16 + 128 + 192 + 256 + 3 * 128 + 3 * 10);
static_assert(nist_vectors_per_mode * all_modes.size() == 12828);

constexpr std::size_t quick_steps = 2;
constexpr std::size_t slow_steps = 10;
constexpr std::size_t very_slow_steps = 3;

bool in_plan(const Plan& plan, const Shape& shape) {
  return std::ranges::find(plan.key_sizes, shape.key_size) != plan.key_sizes.end();
}

void oracles_disagree(Suite suite, const Case& c, const Error& why, Record& record) {
  record.oracle_failed(suite, c, "oracles", {Verdict::failed, why.message, {}});
}

/// One run of the stage: a backend in a mode.
class Run {
 public:
  Run(const aesgate_backend& backend, const Plan& plan, Record& record)
      : backend_(backend), plan_(plan), record_(record) {}

  void known(const std::vector<KnownAnswer>& answers) {
    std::vector<const KnownAnswer*> runnable;
    for (const KnownAnswer& known : answers)
      if (in_plan(plan_, known.c.shape) && can_run(known.suite, known.c)) runnable.push_back(&known);
    record_.expect(runnable.size());
    for (const KnownAnswer* known : runnable) judge_one(known->suite, known->c, known->answer);
  }

  void monte_carlo(const Shape& shape) {
    if (!can_run(Suite::monte_carlo, monte_carlo::step(shape, 0).c)) return;
    std::size_t steps = plan_.effort == Effort::quick ? quick_steps : monte_carlo::outer_steps;
    const std::size_t all = steps;
    const bool may_shorten = plan_.effort == Effort::normal;
    record_.expect(all);
    // The fastest of the first ones: one alone may pay for what comes once, or for a busy machine.
    auto fastest = Clock::duration::max();
    Clock::duration limit{};
    for (std::size_t i = 0; i < steps; ++i) {
      const monte_carlo::Step& step = monte_carlo::step(shape, i);
      const auto start = Clock::now();
      if (!judge_one(Suite::monte_carlo, step.c, step.answer)) return;
      fastest = std::min(fastest, Clock::now() - start);
      if (!may_shorten || (i + 1 != very_slow_steps && i + 1 != slow_steps)) continue;
      limit = i + 1 == very_slow_steps ? very_slow_step : slow_step;
      if (fastest > limit) steps = i + 1;
    }
    record_.expect_fewer(all - steps);
    if (steps < monte_carlo::outer_steps) note_shorter(shape.mode, steps, limit);
  }

 private:
  /// False for a shape that the backend does not do, or not here; the record then says so, once for each suite.
  bool can_run(Suite suite, const Case& c) {
    const std::size_t i = index(c.shape);
    if (!asked_[i]) {
      asked_[i] = true;
      const Judgement judgement = judge(c, execute(backend_, c), Answer{c.expected.value_or(Bytes())});
      if (judgement.verdict == Verdict::unsupported || judgement.verdict == Verdict::unavailable)
        refused_[i] = judgement;
      // Not to be lost: a backend that hangs is not called any more after a few times.
      if (is_without_answer(judgement.verdict)) {
        record_.expect(1);
        record_.judged(suite, backend_, c, judgement);
      }
    }
    if (!refused_[i]) return true;
    if (said_.emplace(suite, i).second)
      record_.not_run(suite, backend_, c.shape, refused_[i]->verdict, refused_[i]->reason);
    return false;
  }

  /// False if the oracles have no answer: there is nothing to judge by.
  bool judge_one(Suite suite, const Case& c, const Result<Answer>& answer) {
    if (!answer) {
      oracles_disagree(suite, c, answer.error(), record_);
      return false;
    }
    record_.judged(suite, backend_, c, judge(c, execute(backend_, c), *answer));
    return true;
  }

  void note_shorter(Mode mode, std::size_t steps, Clock::duration limit) {
    if (plan_.effort == Effort::quick)  // one note for all that the effort shortened
      record_.note(fmt::format("monte-carlo: {} of {} outer steps ran: effort quick", steps, monte_carlo::outer_steps));
    else
      record_.note(fmt::format("monte-carlo: {} {} ran {} of {} outer steps: {} calls took more than {} ms",
                               backend_.name, name(mode), steps, monte_carlo::outer_steps, monte_carlo::inner_steps,
                               std::chrono::duration_cast<std::chrono::milliseconds>(limit).count()));
  }

  const aesgate_backend& backend_;
  const Plan& plan_;
  Record& record_;
  std::array<bool, shape_count> asked_{};
  std::array<std::optional<Judgement>, shape_count> refused_;
  std::set<std::pair<Suite, std::size_t>> said_;
};

/// "both oracles say 61: …", if both give the same in place of what is published; else empty.
std::string what_both_say(const KnownAnswer& known, const std::array<Judgement, 2>& judgements) {
  const auto& one = judgements[0].difference;
  const auto& other = judgements[1].difference;
  if (!known.answer || !one || !other || one->field != "output" || other->field != one->field ||
      other->offset != one->offset || other->found != one->found)
    return {};
  return fmt::format("both oracles say {:02x}: the published value is suspect", one->found);
}

/// A folder of one's own may hold less than NIST published; the verdict then rests on less.
void note_fewer_vectors(const std::vector<KnownAnswer>& answers, Mode mode, const Plan& plan, Record& record) {
  const auto found = std::ranges::count(answers, Suite::cavp, &KnownAnswer::suite);
  if (found != nist_vectors_per_mode)
    record.note(fmt::format("cavp: {} has {} vectors in {}; NIST published {}", name(mode), found,
                            plan.vectors.string(), nist_vectors_per_mode));
}

/// Holds each oracle to a published answer that both of them, or their agreement, missed.
void blame_oracles(const KnownAnswer& known, Record& record) {
  const Answer published{*known.c.expected};
  std::array<Judgement, 2> judgements;
  for (std::size_t i = 0; i < judgements.size(); ++i)
    judgements[i] = judge(known.c, execute(*oracles()[i], known.c), published);
  const std::string both_say = what_both_say(known, judgements);
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (judgements[i].verdict == Verdict::agree) continue;
    if (both_say.empty())
      record.oracle_failed(known.suite, known.c, oracles()[i]->name, judgements[i]);
    else
      record.vector_suspected(known.suite, known.c, oracles()[i]->name, judgements[i], both_say);
  }
  if (!known.answer) oracles_disagree(known.suite, known.c, known.answer.error(), record);
}

}  // namespace

Result<void> run_kat(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record) {
  const auto answers = known_answers(plan.vectors, mode);
  if (!answers) return tl::unexpected(answers.error());
  note_fewer_vectors(**answers, mode, plan, record);
  Run run(backend, plan, record);
  run.known(**answers);
  for (const Shape& shape : plan.shapes(mode)) run.monte_carlo(shape);
  return {};
}

Result<void> judge_oracles(const Plan& plan, Record& record) {
  for (const Mode mode : plan.modes) {
    const auto answers = known_answers(plan.vectors, mode);
    if (!answers) return tl::unexpected(answers.error());
    for (const KnownAnswer& known : **answers) {
      if (!in_plan(plan, known.c.shape)) continue;
      if (!known.answer || known.answer->output != *known.c.expected) blame_oracles(known, record);
    }
  }
  return {};
}

}  // namespace aesgate
