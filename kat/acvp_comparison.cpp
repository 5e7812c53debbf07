#include "kat/acvp_comparison.h"

namespace aesgate::acvp {
namespace {

constexpr std::size_t bytes_of_entry = 96;

std::size_t bytes_of(const std::optional<TestAnswer>& answer) {
  return bytes_of_entry + (answer ? answer->bytes() : 0);
}

}  // namespace

Result<void> Comparison::answered(TestAnswer answer) { return got(answer.tc_id, std::move(answer)); }

Result<void> Comparison::unanswered(std::uint64_t tc_id) { return got(tc_id, std::nullopt); }

Result<void> Comparison::got(std::uint64_t tc_id, std::optional<TestAnswer> answer) {
  if (const auto found = waiting_for_answer_.find(tc_id); found != waiting_for_answer_.end())
    match(take(waiting_for_answer_, found), answer);
  else if (const auto waits = wait(waiting_for_expected_, tc_id, std::move(answer)); !waits)
    return waits;
  // One for one: where both files have one order, nothing waits, and a test that one of them lacks makes one wait.
  auto expected = expected_.next();
  if (!expected) return tl::unexpected(expected.error());
  if (!*expected) return {};
  const std::uint64_t id = (*expected)->tc_id;
  const auto found = waiting_for_expected_.find(id);
  if (found == waiting_for_expected_.end()) return wait(waiting_for_answer_, id, std::move(*expected));
  match(*expected, take(waiting_for_expected_, found));
  return {};
}

Result<void> Comparison::finish() {
  for (const auto& [id, expected] : waiting_for_answer_) report(id, "expected, but not in the prompt");
  waiting_for_answer_.clear();
  for (;;) {
    auto expected = expected_.next();
    if (!expected) return tl::unexpected(expected.error());
    if (!*expected) break;
    const auto found = waiting_for_expected_.find((*expected)->tc_id);
    if (found == waiting_for_expected_.end())
      report((*expected)->tc_id, "expected, but not in the prompt");
    else
      match(*expected, take(waiting_for_expected_, found));
  }
  for (const auto& [id, answer] : waiting_for_expected_) report(id, "not among the expected results");
  waiting_for_expected_.clear();
  return {};
}

void Comparison::match(const std::optional<TestAnswer>& expected, const std::optional<TestAnswer>& got) {
  if (!got) return;  // whoever said that there is no answer has reported why
  if (const auto differs = difference(*expected, *got))
    report(got->tc_id, *differs);
  else
    ++equal_;
}

Result<void> Comparison::wait(Waiting& side, std::uint64_t tc_id, std::optional<TestAnswer> answer) {
  waiting_bytes_ += bytes_of(answer);
  if (waiting_bytes_ > most_bytes)
    return error("the expected results are in another order than the prompt, by more than {} MiB; sort both by tcId",
                 most_bytes >> 20);
  side.emplace(tc_id, std::move(answer));
  return {};
}

std::optional<TestAnswer> Comparison::take(Waiting& side, Waiting::iterator found) {
  std::optional<TestAnswer> answer = std::move(found->second);
  waiting_bytes_ -= bytes_of(answer);
  side.erase(found);
  return answer;
}

void Comparison::report(std::uint64_t tc_id, const std::string& what) {
  ++different_;
  report_(tc_id, what);
}

}  // namespace aesgate::acvp
