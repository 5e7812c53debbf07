#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/case.h"
#include "core/judge.h"
#include "core/plan.h"
#include "report/coverage.h"

namespace aesgate {

/// Suite: one kind of evidence. kat has the first four, props `laws`, fuzz `boundary` and `random`, `perf` is what is
/// judged around a measurement, and `acvp` are the tests of a vector set.
enum class Suite { cavp, fips197, sp800_38a, monte_carlo, laws, boundary, random, perf, acvp };
inline constexpr std::array all_suites{Suite::cavp,        Suite::fips197, Suite::sp800_38a,
                                       Suite::monte_carlo, Suite::laws,    Suite::boundary,
                                       Suite::random,      Suite::perf,    Suite::acvp};
/// "cavp", "fips-197", "sp800-38a", "monte-carlo", "laws", "boundary", "random", "perf", "acvp".
[[nodiscard]] std::string_view name(Suite suite);

/// Tally: how many Cases got which verdict, and for each verdict the first reason that was given.
struct Tally {
  std::array<std::uint64_t, verdict_count> counts{};
  std::array<std::string, verdict_count> reasons;

  [[nodiscard]] std::uint64_t count(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
  [[nodiscard]] const std::string& reason(Verdict verdict) const { return reasons[static_cast<std::size_t>(verdict)]; }
  [[nodiscard]] std::uint64_t total() const;
  [[nodiscard]] std::uint64_t failures() const;
  void add(Verdict verdict, const std::string& reason);
  void add(const Tally& other);
};

/// Finding: a failure, with what replays it.
struct Finding {
  Suite suite = Suite::random;
  std::string backend;
  Shape shape;
  Judgement judgement;
  std::string origin;               // the vector, or the seed, or the law
  std::filesystem::path case_file;  // empty if it could not be written; `note` then says why
  std::string note;
};

/// Where .case files go unless the user names a folder: into one in the current folder, made when the first is written.
inline constexpr const char* default_case_folder = "aesgate-cases";

/// Record: what a run found out, filled by the stages from several threads, read by the reports.
class Record {
 public:
  /// Failures are written as .case files into `case_folder`, which is made when the first is; none if it is empty.
  explicit Record(std::filesystem::path case_folder) : case_folder_(std::move(case_folder)) {}

  /// `cases` more will be judged: what a progress bar counts against.
  void expect(std::uint64_t cases) { expected_ += cases; }
  /// `cases` of those will not be, after all.
  void expect_fewer(std::uint64_t cases) { expected_ -= cases; }

  /// A Case was executed and judged. A failure becomes a Finding with a .case file that names the
  /// backend, at most `findings_per_cell` for each suite, backend and mode; all are counted.
  void judged(Suite suite, const aesgate_backend& backend, const Case& c, const Judgement& judgement);

  /// A shape was not run at all: `verdict` is unsupported, unavailable or declined.
  void not_run(Suite suite, const aesgate_backend& backend, const Shape& shape, Verdict verdict,
               const std::string& reason);

  /// The stage is through with the boundary Cases of a shape, of which `ran` of `planned` were for this backend.
  void boundary_done(const aesgate_backend& backend, const Shape& shape, std::uint64_t ran, std::uint64_t planned);

  /// A published vector and an oracle, or the two oracles, disagree: nothing can be judged any more.
  void oracle_failed(Suite suite, const Case& c, const std::string& oracle, const Judgement& judgement);

  /// An oracle and a published vector disagree, and so does the other oracle, in the same way: nothing can be judged
  /// either, but it is the vector that is suspect. `both_say` is for a person: "both oracles say 61: the published
  /// value is suspect"; the finding's reason ends in it. Called for each oracle.
  void vector_suspected(Suite suite, const Case& c, const std::string& oracle, Judgement judgement,
                        const std::string& both_say);

  /// A fact about the whole run, such as a shorter Monte Carlo loop than the standard's; each once, in the
  /// order of the alphabet whichever thread came first.
  void note(const std::string& text);

  [[nodiscard]] std::uint64_t expected() const { return expected_; }
  [[nodiscard]] std::uint64_t done() const { return done_; }
  /// Is there a Finding of a backend yet?
  [[nodiscard]] bool has_finding() const { return has_finding_; }

  // What follows is for when the stages are done.

  /// The sum over what is given; no suite, shape or backend means all.
  struct Filter {
    std::optional<Suite> suite = {};
    std::string backend = {};
    std::optional<Mode> mode = {};
    std::optional<Shape> shape = {};
  };
  [[nodiscard]] Tally tally(const Filter& filter) const;
  /// The same for what ran: Cases that agreed or failed.
  [[nodiscard]] Coverage coverage(const Filter& filter) const;

  /// What boundary_done() was told; planned is 0 if it was not called.
  struct Boundary {
    std::uint64_t ran = 0, planned = 0;
  };
  [[nodiscard]] Boundary boundary(const std::string& backend, const Shape& shape) const;

  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  /// What note() was told, and the warnings of judged Cases, one line a backend and kind of warning.
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] bool has_oracle_failure() const { return oracle_failure_; }
  /// What was said of each suspect vector, by its origin. If an oracle failed in another way too, nothing is sure
  /// of the vectors either, and there is none.
  [[nodiscard]] std::map<std::string, std::string> suspect_vectors() const;
  [[nodiscard]] std::uint64_t failures() const { return tally({}).failures() + (oracle_failure_ ? 1 : 0); }

  static constexpr std::size_t findings_per_cell = 3;

 private:
  void add_oracle_finding(Suite suite, const Case& c, const std::string& oracle, const Judgement& judgement);
  void add_finding(Finding finding, const Case& c);
  /// `said`, unless a backend that ran says that it cannot: that is a failure, or a run would pass of which it left out
  /// the most.
  Judgement held_to_its_word(const aesgate_backend& backend, const Shape& shape, const Judgement& said);
  void add_warnings(const std::string& backend, const Case& c, const Warnings& warnings);

  std::filesystem::path case_folder_;
  std::atomic<std::uint64_t> expected_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> oracle_failure_ = false, has_finding_ = false;
  mutable std::mutex mutex_;  // for all below
  bool oracle_in_doubt_ = false;
  std::map<std::string, std::string> suspects_;
  using Key = std::tuple<Suite, std::string, std::size_t>;
  [[nodiscard]] static bool takes(const Filter& filter, const Key& key);

  std::map<Key, Tally> tallies_;
  std::map<Key, Coverage> coverages_;
  std::map<std::pair<std::string, std::size_t>, Boundary> boundaries_;
  std::map<std::tuple<Suite, std::string, Mode>, std::size_t> findings_in_cell_;
  std::map<std::string, std::set<std::size_t>> agreed_;  // by backend, the index() of each shape of which a Case agreed
  std::vector<Finding> findings_;
  std::vector<std::string> notes_;

  struct Warned {
    std::uint64_t cases = 0;
    std::string example;
  };
  std::map<std::pair<std::string, Warning>, Warned> warnings_;
};

/// What one stage does with one backend in one mode; a ctest test and a step of verify are both one such
/// call. An Error is bad input, such as a malformed vector file; all else goes into the record.
using StageFunction = Result<void> (*)(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record);

}  // namespace aesgate
