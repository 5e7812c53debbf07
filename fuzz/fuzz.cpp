#include "fuzz/fuzz.h"

#include "core/allowance.h"
#include "core/registry.h"
#include "core/session.h"
#include "emulator/emulator.h"
#include "fuzz/boundary_cases.h"
#include "fuzz/long_cases.h"
#include "fuzz/random_cases.h"
#include "fuzz/run_case.h"
#include "oracle/kept_answers.h"

namespace aesgate {
namespace {

/// Cases a shape, beside the boundary Cases, which are more. CFB1 and CFB8 call the cipher once a bit and once a byte.
struct Count {
  Mode mode;
  std::size_t quick, normal, deep;
};
constexpr std::array counts{Count{Mode::ecb, 100, 1000, 200'000},    Count{Mode::cbc, 100, 1000, 200'000},
                            Count{Mode::cfb1, 40, 400, 80'000},      Count{Mode::cfb8, 40, 400, 80'000},
                            Count{Mode::cfb128, 100, 1000, 200'000}, Count{Mode::ofb, 100, 1000, 200'000}};

/// The CPU time that a backend may take for a shape before it runs fewer Cases: some three times of what the slowest
/// software takes. What is emulated shows no more of the unit in more of it.
std::optional<std::chrono::milliseconds> time_per_shape(Suite suite, const aesgate_backend& backend, Effort effort) {
  if (effort == Effort::deep) return std::nullopt;
  const std::chrono::milliseconds time(suite == Suite::boundary ? 300 : 120);
  return effort == Effort::quick || emulator::is_emulated(backend) ? time / 3 : time;
}

/// One kind of Cases, over the shapes of a mode.
class Runs {
 public:
  Runs(Suite suite, const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record)
      : suite_(suite), backend_(backend), mode_(mode), plan_(plan), record_(record), runner_(suite, backend, record) {}

  /// A shape's Cases, of which the first `core` run however long they take. `run_one(runner, number, allowance)` runs
  /// one; false from there is false from here, and the end of the run.
  template <typename RunOne>
  bool run(std::size_t count, std::size_t core, RunOne run_one) {
    record_.expect(count);
    Allowance allowance(time_per_shape(suite_, backend_, plan_.effort), count);
    std::uint64_t ran = 0;
    for (std::size_t number = 0; number < count; ++number) {
      if (!allowance.next() && number >= core) continue;
      if (!run_one(runner_, number, allowance)) return false;
      ++ran;
    }
    asked_ += count;
    ran_ += ran;
    record_.expect_fewer(count - ran);
    last_ran_ = ran;
    return true;
  }

  /// Nothing is asked of the oracles, and all of them run.
  void run_long(const std::vector<Case>& cases) {
    record_.expect(cases.size());
    Allowance as_long_as_it_takes;
    for (const Case& c : cases) static_cast<void>(runner_.run(c, Answer{}, as_long_as_it_takes));
  }

  /// Of the shape that run() did last.
  [[nodiscard]] std::uint64_t last_ran() const { return last_ran_; }

  /// Says so where not all of them ran.
  void note_fewer() {
    if (ran_ == asked_) return;
    const auto time = *time_per_shape(suite_, backend_, plan_.effort);
    record_.note(fmt::format("{}: {} {} ran {} of {} cases: all would have taken it more than {} ms a shape",
                             name(suite_), backend_.name, name(mode_), ran_, asked_, time.count()));
  }

 private:
  Suite suite_;
  const aesgate_backend& backend_;
  Mode mode_;
  const Plan& plan_;
  Record& record_;
  CaseRunner runner_;
  std::uint64_t asked_ = 0, ran_ = 0, last_ran_ = 0;
};

/// The shapes of the plan that the backend does; the record has the others.
std::vector<Shape> supported_shapes(Suite suite, const aesgate_backend& backend, Mode mode, const Plan& plan,
                                    Record& record) {
  std::vector<Shape> shapes = plan.shapes(mode);
  const std::string why = why_unavailable(backend);
  std::erase_if(shapes, [&](const Shape& shape) {
    if (why.empty() && Session::supports(backend, shape)) return false;
    record.not_run(suite, backend, shape, why.empty() ? Verdict::unsupported : Verdict::unavailable,
                   why.empty() ? "this backend does not do it" : why);
    return true;
  });
  return shapes;
}

/// The points of the lattice that a shape gets: all, and in quick effort the core and every fourth of the others,
/// another fourth in the next shape, so that the shapes of a mode together have each point. The longest are so few that
/// each shape has them all.
std::vector<std::size_t> numbers_of(const BoundaryLattice& lattice, const Shape& shape, Effort effort) {
  constexpr std::size_t part = 4, long_message = 16 * 1024;
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < lattice.points.size(); ++number)
    if (number < lattice.core || effort != Effort::quick || number % part == index(shape) % part ||
        lattice.points[number].length >= long_message)
      numbers.push_back(number);
  return numbers;
}

}  // namespace

Result<void> run_boundary(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record) {
  Runs boundary(Suite::boundary, backend, mode, plan, record);
  const BoundaryLattice& lattice = boundary_lattice(mode, plan.effort);
  const std::vector<Shape> shapes = supported_shapes(Suite::boundary, backend, mode, plan, record);
  if (plan.effort == Effort::deep)
    for (const Shape& shape : shapes) boundary.run_long(long_cases(shape));
  for (const Shape& shape : shapes) {
    const std::vector<std::size_t> numbers = numbers_of(lattice, shape, plan.effort);
    const auto run_one = [&](CaseRunner& runner, std::size_t at, Allowance& allowance) {
      const BoundaryCase made = boundary_case(shape, numbers[at], plan.effort);
      return runner.run(made.c, made.answer, allowance);
    };
    if (!boundary.run(numbers.size(), lattice.core, run_one)) return {};
    record.boundary_done(backend, shape, boundary.last_ran(), lattice.points.size());
  }
  boundary.note_fewer();
  return {};
}

Result<void> run_random(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record) {
  Runs random(Suite::random, backend, mode, plan, record);
  for (const Shape& shape : supported_shapes(Suite::random, backend, mode, plan, record)) {
    const auto run_one = [&](CaseRunner& runner, std::size_t number, Allowance& allowance) {
      const Case c = random_case(plan.seed, number, shape);
      return runner.run(c, ask_once(c), allowance);
    };
    if (!random.run(random_cases_per_shape(mode, plan.effort), 0, run_one)) return {};
  }
  random.note_fewer();
  return {};
}

Result<void> run_fuzz(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record) {
  const auto ran = run_boundary(backend, mode, plan, record);
  if (!ran || record.has_oracle_failure()) return ran;
  return run_random(backend, mode, plan, record);
}

std::size_t random_cases_per_shape(Mode mode, Effort effort) {
  for (const Count& count : counts) {
    if (count.mode != mode) continue;
    return effort == Effort::quick ? count.quick : effort == Effort::normal ? count.normal : count.deep;
  }
  return 0;
}

}  // namespace aesgate
