#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/fit.h"
#include "explain/speed_run.h"

namespace aesgate::explain {

/// List: what a conclusion is. A fact stands in the text, or is arithmetic on it; an inference follows from facts; a
/// cause is one explanation among others.
enum class List { fact, inference, cause };
enum class Sure { certain, very_likely, likely, possible };
/// "fact", "inference", "likely cause"; "certain", "very likely", "likely", "possible".
[[nodiscard]] std::string_view name(List list);
[[nodiscard]] std::string_view name(Sure sure);

/// Conclusion: `kind` is its name for programs: "same-implementation", "no-evp".
struct Conclusion {
  std::string kind;
  List list = List::fact;
  Sure sure = Sure::certain;
  std::string text;
};

/// Subject: a run with what is computed from it.
struct Subject {
  const SpeedRun* run = nullptr;
  std::size_t number = 0;
  std::string label;  // "run 2"
  std::optional<Fit> line;
  std::optional<double> share;  // of the CPU
};

/// Pair: two runs of the same algorithm. `other` is the one with an engine, if one of the two has, else the one with
/// more set-up.
struct Pair {
  const Subject* base = nullptr;
  const Subject* other = nullptr;
  std::vector<std::pair<const Sample*, const Sample*>> sizes;  // what both have, base first
  bool same = false;      // within what two runs of the same program differ by, at every size
  double difference = 0;  // the largest, as a part

  /// How many times as fast the other is in a size, in elapsed time.
  [[nodiscard]] double speedup(std::size_t at) const;
};

/// Explanation: what follows from a reading, which it refers to.
struct Explanation {
  const Reading* reading = nullptr;
  std::vector<Subject> subjects;
  std::vector<Pair> pairs;
  std::size_t pairs_left_out = 0;
  std::vector<Conclusion> conclusions;
  std::vector<std::string> next;  // commands
  bool failed = false;            // the text shows a wrong result, or a refused engine

  Explanation() = default;
  Explanation(Explanation&&) = default;  // pairs point into subjects, so there are no copies

  /// What is there already, in the same list and words, is not added again.
  void add(Conclusion conclusion);
  void fact(std::string_view kind, std::string text);
  void infer(std::string_view kind, Sure sure, std::string text);
  void cause(std::string_view kind, Sure sure, std::string text);
  /// Each command once, in the order in which they are first asked for.
  void run_next(const std::string& command);
  [[nodiscard]] bool concludes(std::string_view kind) const;
};

/// What follows from `reading`, which must outlive the explanation.
[[nodiscard]] Explanation explain(const Reading& reading);

// One kind of question each; they add conclusions and commands. In this order, since a later one may look at what an
// earlier one concluded.
void find_troubles(Explanation& out);
void find_engine(Explanation& out);
void find_cpu_time(Explanation& out);
void find_same(Explanation& out);
void find_crossing(Explanation& out);
void find_crossover(Explanation& out);
void find_floor(Explanation& out);
void find_cpu(Explanation& out);
void find_units(Explanation& out);
void find_next(Explanation& out);

/// `openssl speed` of a run's algorithm, or of `name`, in elapsed time, with -evp, and by its engine if it names one.
[[nodiscard]] std::string speed_command(const SpeedRun& run, std::string_view name = {});
/// The command that shows what another executes.
[[nodiscard]] std::string witness_command(const std::string& command);

/// "run 1", "runs 1 and 2", "runs 1, 3 to 6 and 9".
[[nodiscard]] std::string labels(const std::vector<const Subject*>& subjects);

}  // namespace aesgate::explain
