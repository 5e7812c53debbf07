#include "explain/explanation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "explain/words.h"

namespace aesgate::explain {
namespace {

constexpr std::size_t most_pairs = 24;

/// Two runs of the same program differ by a percent or two; an engine that is at work, by tens.
constexpr double same_within = 0.03;

bool comparable(const SpeedRun& a, const SpeedRun& b) {
  if (a.invocation_number == b.invocation_number && a.variant == b.variant) return false;
  const auto &of_a = a.algorithm.direction, &of_b = b.algorithm.direction;
  return a.algorithm.name == b.algorithm.name && (!of_a || !of_b || *of_a == *of_b);
}

Pair pair_of(const Subject& a, const Subject& b) {
  const bool engine_a = !a.run->invocation.engine.empty(), engine_b = !b.run->invocation.engine.empty();
  const bool more_setup = a.line && b.line && a.line->setup > b.line->setup;
  const bool swap = engine_a != engine_b ? engine_a : more_setup;
  Pair pair;
  pair.base = swap ? &b : &a;
  pair.other = swap ? &a : &b;
  for (const Sample& of_base : pair.base->run->samples)
    for (const Sample& of_other : pair.other->run->samples)
      if (of_base.bytes == of_other.bytes && elapsed_rate(*pair.base->run, of_base) > 0 &&
          elapsed_rate(*pair.other->run, of_other) > 0)
        pair.sizes.emplace_back(&of_base, &of_other);
  for (std::size_t i = 0; i < pair.sizes.size(); ++i)
    pair.difference = std::max(pair.difference, std::abs(pair.speedup(i) - 1));
  // From small to large, so that set-up and cost a byte are both compared.
  pair.same = pair.sizes.size() >= 3 && pair.difference <= same_within &&
              pair.sizes.back().first->bytes >= 16 * pair.sizes.front().first->bytes;
  return pair;
}

/// Each run against the first of its algorithm: all pairs of many runs would be many.
void make_pairs(Explanation& explanation) {
  const std::vector<Subject>& all = explanation.subjects;
  for (std::size_t later = 1; later < all.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (!comparable(*all[earlier].run, *all[later].run)) continue;
      Pair pair = pair_of(all[earlier], all[later]);
      if (!pair.sizes.empty() && explanation.pairs.size() < most_pairs)
        explanation.pairs.push_back(std::move(pair));
      else if (!pair.sizes.empty())
        ++explanation.pairs_left_out;
      break;
    }
}

}  // namespace

std::string_view name(List list) {
  static constexpr std::array<std::string_view, 3> names{"fact", "inference", "likely cause"};
  return names[static_cast<std::size_t>(list)];
}

std::string_view name(Sure sure) {
  static constexpr std::array<std::string_view, 4> names{"certain", "very likely", "likely", "possible"};
  return names[static_cast<std::size_t>(sure)];
}

double Pair::speedup(std::size_t at) const {
  return elapsed_rate(*other->run, *sizes[at].second) / elapsed_rate(*base->run, *sizes[at].first);
}

void Explanation::add(Conclusion conclusion) {
  const auto same = [&](const Conclusion& other) {
    return other.list == conclusion.list && other.text == conclusion.text;
  };
  if (std::none_of(conclusions.begin(), conclusions.end(), same)) conclusions.push_back(std::move(conclusion));
}

void Explanation::fact(std::string_view kind, std::string text) {
  add({std::string(kind), List::fact, Sure::certain, std::move(text)});
}

void Explanation::infer(std::string_view kind, Sure sure, std::string text) {
  add({std::string(kind), List::inference, sure, std::move(text)});
}

void Explanation::cause(std::string_view kind, Sure sure, std::string text) {
  add({std::string(kind), List::cause, sure, std::move(text)});
}

void Explanation::run_next(const std::string& command) {
  if (std::find(next.begin(), next.end(), command) == next.end()) next.push_back(command);
}

bool Explanation::concludes(std::string_view kind) const {
  return std::any_of(conclusions.begin(), conclusions.end(),
                     [&](const Conclusion& conclusion) { return conclusion.kind == kind; });
}

Explanation explain(const Reading& reading) {
  Explanation explanation;
  explanation.reading = &reading;
  for (const SpeedRun& run : reading.runs) {
    const std::size_t number = explanation.subjects.size() + 1;
    explanation.subjects.push_back({&run, number, fmt::format("run {}", number), fit(run), cpu_share(run)});
  }
  make_pairs(explanation);
  for (const auto find : {find_troubles, find_engine, find_cpu_time, find_same, find_crossing, find_crossover,
                          find_floor, find_cpu, find_units, find_next})
    find(explanation);
  return explanation;
}

std::string speed_command(const SpeedRun& run, std::string_view name) {
  std::string command = "openssl speed -elapsed";
  if (!run.invocation.engine.empty()) command += " -engine " + run.invocation.engine;
  if (run.algorithm.direction == Direction::decrypt) command += " -decrypt";
  return command + " -evp " + (name.empty() ? lower(run.algorithm.name) : std::string(name));
}

std::string witness_command(const std::string& command) { return "aesgate witness -- " + command; }

std::string labels(const std::vector<const Subject*>& subjects) {
  std::vector<std::size_t> numbers;
  for (const Subject* subject : subjects) numbers.push_back(subject->number);
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (last < i + 2) last = i;  // two are named one by one
    parts.push_back(last == i ? fmt::format("{}", numbers[i]) : fmt::format("{} to {}", numbers[i], numbers[last]));
    i = last + 1;
  }
  std::string text = numbers.size() > 1 ? "runs " : "run ";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace aesgate::explain
