#include "kat/acvp_expected.h"

#include <algorithm>

#include "kat/monte_carlo.h"

namespace aesgate::acvp {
namespace {

constexpr std::size_t most_ahead = 64;
constexpr std::size_t most_bytes_ahead = 4u << 20;
/// Ten times what a Monte Carlo test has: more is a difference to be shown, and not to be kept without end.
constexpr std::size_t most_results = 10 * monte_carlo::outer_steps;

using Take = std::function<bool(TestAnswer)>;

class Reading : public Visitor {
 public:
  Reading(const SetHead& set, Take take) : set_(set), take_(std::move(take)) {}

  Unread unread;
  bool ended = false;

  Result<void> begin(Level level) override {
    if (level == Level::test) {
      answer_ = {};
      values_ = {};
      has_id_ = has_value_ = false;
    }
    if (level == Level::result) {
      if (answer_.results.size() == most_results) return error("more than {} results", most_results);
      answer_.results.emplace_back();
    }
    return {};
  }

  Result<void> member(Level level, std::string_view name, const Value& value) override {
    switch (level) {
      case Level::version: return unread_but(name == "acvVersion", level, name);
      case Level::set: return set_member(name, value);
      case Level::group: return group_member(name, value);
      case Level::test: return test_member(name, value);
      case Level::result: return result_member(answer_.results.back(), level, name, value);
    }
    return {};
  }

  Result<void> end(Level level) override {
    if (level == Level::set) return has_groups_ ? Result<void>() : missing("testGroups");
    if (level != Level::test) return {};
    if (!has_id_) return missing("tcId");
    if (answer_.is_array && has_value_) return error("both a resultsArray and a result of its own");
    if (!answer_.is_array) answer_.results.push_back(std::move(values_));
    if (take_(std::move(answer_))) return {};
    ended = true;
    return error("ended");
  }

 private:
  Result<void> unread_but(bool known, Level level, std::string_view name) {
    if (!known) unread.add(level, name);
    return {};
  }

  Result<void> set_member(std::string_view name, const Value& value) {
    if (name == "vsId") return same(whole_number(value), set_.vs_id);
    if (name == "algorithm") return same(algorithm(value).map(algorithm_name), algorithm_name(set_.mode));
    if (name == "revision") return revision(value).map([](const std::string&) {});
    if (name == "testGroups") has_groups_ = true;
    return unread_but(name == "testGroups" || name == "acvVersion" || name == "isSample", Level::set, name);
  }

  Result<void> group_member(std::string_view name, const Value& value) {
    if (name == "tgId") return whole_number(value).map([](std::uint64_t) {});
    return unread_but(name == "tests", Level::group, name);
  }

  Result<void> test_member(std::string_view name, const Value& value) {
    if (name == "tcId") {
      const auto id = whole_number(value);
      if (!id) return tl::unexpected(id.error());
      answer_.tc_id = *id;
      has_id_ = true;
      return add_id(ids_, *id);
    }
    if (name == "resultsArray") {
      answer_.is_array = true;
      return {};
    }
    return result_member(values_, Level::test, name, value);
  }

  Result<void> result_member(ResultValues& values, Level level, std::string_view name, const Value& value) {
    const auto found = std::ranges::find(result_members, name);
    if (found == result_members.end()) return unread_but(false, level, name);
    auto bytes = hexadecimal(value);
    if (!bytes) return tl::unexpected(bytes.error());
    values[static_cast<std::size_t>(found - result_members.begin())] = std::move(*bytes);
    has_value_ = has_value_ || level == Level::test;
    return {};
  }

  template <typename T>
  Result<void> same(const Result<T>& value, const T& in_prompt) {
    if (!value) return tl::unexpected(value.error());
    if (*value != in_prompt) return error("{}, but the prompt has {}; are these two of one set?", *value, in_prompt);
    return {};
  }

  const SetHead& set_;
  Take take_;
  TestAnswer answer_;
  ResultValues values_;
  bool has_id_ = false, has_value_ = false, has_groups_ = false;
  IdSet ids_;
};

}  // namespace

Result<ExpectedFile> ExpectedFile::check(Source& source, const SetHead& set) {
  ExpectedFile file;
  Reading reading(set, [&](const TestAnswer&) {
    ++file.tests;
    return true;
  });
  if (const auto walked = walk(source, reading); !walked) return tl::unexpected(walked.error());
  file.unread = std::move(reading.unread);
  return file;
}

ExpectedStream::ExpectedStream(Source& source, const SetHead& set)
    : thread_([this, &source, &set] { read(source, set); }) {}

ExpectedStream::~ExpectedStream() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ExpectedStream::read(Source& source, const SetHead& set) {
  Reading reading(set, [this](TestAnswer answer) { return put(std::move(answer)); });
  const auto walked = walk(source, reading);
  const std::lock_guard lock(mutex_);
  at_end_ = true;
  if (!walked && !reading.ended) error_ = walked.error();
  changed_.notify_all();
}

bool ExpectedStream::put(TestAnswer answer) {
  const std::size_t bytes = answer.bytes();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return given_up_ || answers_.empty() || (answers_.size() < most_ahead && bytes_ + bytes <= most_bytes_ahead);
  });
  if (given_up_) return false;
  answers_.push_back(std::move(answer));
  bytes_ += bytes;
  changed_.notify_all();
  return true;
}

Result<std::optional<TestAnswer>> ExpectedStream::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return at_end_ || !answers_.empty(); });
  if (answers_.empty()) {
    if (error_) return tl::unexpected(*error_);
    return std::nullopt;
  }
  TestAnswer answer = std::move(answers_.front());
  answers_.pop_front();
  bytes_ -= answer.bytes();
  changed_.notify_all();
  return answer;
}

}  // namespace aesgate::acvp
