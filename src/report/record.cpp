#include "report/record.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/case_text.h"
#include "core/execute.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

/// Does the Case agree when nothing ran before it? What an earlier Case left behind in the backend is not in a .case
/// file. Neither does a Case agree that is not executed, since the backend was given up.
bool agrees_by_itself(const aesgate_backend& backend, const Case& c) {
  const Result<Answer> answer = ask(c);
  return answer && judge(c, execute(backend, c), *answer).verdict == Verdict::agree;
}

}  // namespace

std::string_view name(Suite suite) {
  static constexpr std::array<std::string_view, all_suites.size()> names{
      "cavp", "fips-197", "sp800-38a", "monte-carlo", "laws", "boundary", "random", "perf", "acvp"};
  return names[static_cast<std::size_t>(suite)];
}

std::uint64_t Tally::total() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

std::uint64_t Tally::failures() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (is_failure(static_cast<Verdict>(i))) sum += counts[i];
  return sum;
}

void Tally::add(Verdict verdict, const std::string& reason) {
  const auto i = static_cast<std::size_t>(verdict);
  ++counts[i];
  if (reasons[i].empty()) reasons[i] = reason;
}

void Tally::add(const Tally& other) {
  std::ranges::transform(counts, other.counts, counts.begin(), std::plus<>());
  for (std::size_t i = 0; i < reasons.size(); ++i)
    if (reasons[i].empty()) reasons[i] = other.reasons[i];
}

void Record::judged(Suite suite, const aesgate_backend& backend, const Case& c, const Judgement& said) {
  ++done_;
  const CaseClass case_class = classify(c);
  const std::lock_guard lock(mutex_);
  const Judgement judgement = held_to_its_word(backend, c.shape, said);
  const Key key{suite, backend.name, index(c.shape)};
  tallies_[key].add(judgement.verdict, judgement.reason);
  add_warnings(backend.name, c, judgement.warnings);
  if (judgement.verdict == Verdict::agree || is_failure(judgement.verdict)) coverages_[key].add(case_class);
  if (!is_failure(judgement.verdict)) return;
  if (findings_in_cell_[{suite, backend.name, c.shape.mode}]++ >= findings_per_cell) return;
  Finding finding{suite, backend.name, c.shape, judgement, c.origin, {}, {}};
  // Not after a time-out, which would take as long again.
  if (judgement.verdict != Verdict::timed_out && agrees_by_itself(backend, c))
    finding.judgement.reason += "; run again by itself the case agrees: what ran before it matters, or chance";
  add_finding(std::move(finding), c);
  has_finding_ = true;
}

void Record::not_run(Suite suite, const aesgate_backend& backend, const Shape& shape, Verdict verdict,
                     const std::string& reason) {
  const std::lock_guard lock(mutex_);
  const Judgement judgement = held_to_its_word(backend, shape, {verdict, reason, {}, {}});
  tallies_[{suite, backend.name, index(shape)}].add(judgement.verdict, judgement.reason);
  if (!is_failure(judgement.verdict)) return;
  has_finding_ = true;
  if (findings_in_cell_[{suite, backend.name, shape.mode}]++ < findings_per_cell)
    findings_.push_back({suite, backend.name, shape, judgement, {}, {}, "there is no Case: none was run"});
}

Judgement Record::held_to_its_word(const aesgate_backend& backend, const Shape& shape, const Judgement& said) {
  const bool is_unavailable = said.verdict == Verdict::unavailable;  // which is said of all shapes
  if (!is_unavailable && said.verdict != Verdict::unsupported) {
    if (said.verdict == Verdict::agree) agreed_[backend.name].insert(index(shape));
    return said;
  }
  const auto agreed = agreed_.find(backend.name);
  if (agreed == agreed_.end() || (!is_unavailable && !agreed->second.contains(index(shape)))) return said;
  return {Verdict::failed,
          fmt::format("{} after Cases of {} had agreed: {}", aesgate::name(said.verdict),
                      is_unavailable ? "this backend" : "this shape", said.reason),
          {},
          {}};
}

void Record::boundary_done(const aesgate_backend& backend, const Shape& shape, std::uint64_t ran,
                           std::uint64_t planned) {
  const std::lock_guard lock(mutex_);
  boundaries_[{backend.name, index(shape)}] = {ran, planned};
}

void Record::oracle_failed(Suite suite, const Case& c, const std::string& oracle, const Judgement& judgement) {
  oracle_failure_ = true;
  const std::lock_guard lock(mutex_);
  oracle_in_doubt_ = true;
  add_oracle_finding(suite, c, oracle, judgement);
}

void Record::vector_suspected(Suite suite, const Case& c, const std::string& oracle, Judgement judgement,
                              const std::string& both_say) {
  oracle_failure_ = true;
  judgement.reason += "; " + both_say;
  const std::lock_guard lock(mutex_);
  suspects_.emplace(c.origin, both_say);
  add_oracle_finding(suite, c, oracle, judgement);
}

void Record::add_oracle_finding(Suite suite, const Case& c, const std::string& oracle, const Judgement& judgement) {
  if (findings_in_cell_[{suite, oracle, c.shape.mode}]++ >= findings_per_cell) return;
  add_finding({suite, oracle, c.shape, judgement, c.origin, {}, {}}, c);
}

std::map<std::string, std::string> Record::suspect_vectors() const {
  const std::lock_guard lock(mutex_);
  return oracle_in_doubt_ ? std::map<std::string, std::string>() : suspects_;
}

void Record::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::lower_bound(notes_, text);
  if (place == notes_.end() || *place != text) notes_.insert(place, text);
}

void Record::add_warnings(const std::string& backend, const Case& c, const Warnings& warnings) {
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    if (warnings[i].empty()) continue;
    Warned& warned = warnings_[{backend, static_cast<Warning>(i)}];
    ++warned.cases;
    // The first in the order of the alphabet, whichever thread came first.
    std::string example = fmt::format("{}, {}", aesgate::name(c.shape), warnings[i]);
    if (warned.example.empty() || example < warned.example) warned.example = std::move(example);
  }
}

std::vector<std::string> Record::notes() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes = notes_;
  for (const auto& [key, warned] : warnings_)
    notes.push_back(fmt::format("{}: it {}: in {} case{}, such as {}", key.first, aesgate::name(key.second),
                                warned.cases, warned.cases == 1 ? "" : "s", warned.example));
  std::ranges::sort(notes);
  return notes;
}

bool Record::takes(const Filter& filter, const Key& key) {
  const auto& [suite, backend, shape_index] = key;
  const Shape& shape = all_shapes()[shape_index];
  if (filter.suite && *filter.suite != suite) return false;
  if (!filter.backend.empty() && filter.backend != backend) return false;
  if (filter.mode && *filter.mode != shape.mode) return false;
  return !filter.shape || *filter.shape == shape;
}

Tally Record::tally(const Filter& filter) const {
  const std::lock_guard lock(mutex_);
  Tally sum;
  for (const auto& [key, tally] : tallies_)
    if (takes(filter, key)) sum.add(tally);
  return sum;
}

Coverage Record::coverage(const Filter& filter) const {
  const std::lock_guard lock(mutex_);
  Coverage sum;
  for (const auto& [key, coverage] : coverages_)
    if (takes(filter, key)) sum.add(coverage);
  return sum;
}

Record::Boundary Record::boundary(const std::string& backend, const Shape& shape) const {
  const std::lock_guard lock(mutex_);
  const auto found = boundaries_.find({backend, index(shape)});
  return found == boundaries_.end() ? Boundary{} : found->second;
}

void Record::add_finding(Finding finding, const Case& c) {
  if (case_folder_.empty()) {
    findings_.push_back(std::move(finding));
    return;
  }
  Case reproducer = c.copy();
  reproducer.backend = finding.backend;
  const std::string text = to_text(reproducer);
  const auto path = case_folder_ / fmt::format("{}-{}-{}-{}-{:08x}.case", finding.backend, name(finding.shape.mode),
                                               name(finding.shape.direction), bits(finding.shape.key_size),
                                               static_cast<std::uint32_t>(std::hash<std::string>{}(text)));
  std::error_code folder;
  std::filesystem::create_directories(case_folder_, folder);
  if (folder)
    finding.note = fmt::format("{}: {}", case_folder_.string(), folder.message());
  else if (const auto written = write_case(path, reproducer))
    finding.case_file = path;
  else
    finding.note = written.error().message;
  findings_.push_back(std::move(finding));
}

}  // namespace aesgate
