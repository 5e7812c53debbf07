#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "kat/acvp_expected.h"

namespace aesgate::acvp {

/// Comparison: answers as they are made against expected ones as they are read, matched by tcId. The two orders may
/// differ; what waits for the other side is bounded, by most_bytes.
class Comparison {
 public:
  static constexpr std::size_t most_bytes = 64u << 20;

  /// `report` gets each tcId that does not match, and why.
  using Report = std::function<void(std::uint64_t tc_id, const std::string& what)>;
  Comparison(ExpectedStream& expected, Report report) : expected_(expected), report_(std::move(report)) {}

  /// An answer, or that a test has none. An Error is about the expected file.
  [[nodiscard]] Result<void> answered(TestAnswer answer);
  [[nodiscard]] Result<void> unanswered(std::uint64_t tc_id);
  /// No more answers come: what is left on either side is missing on the other.
  [[nodiscard]] Result<void> finish();

  [[nodiscard]] std::uint64_t equal() const { return equal_; }
  [[nodiscard]] std::uint64_t different() const { return different_; }

 private:
  using Waiting = std::map<std::uint64_t, std::optional<TestAnswer>>;

  [[nodiscard]] Result<void> got(std::uint64_t tc_id, std::optional<TestAnswer> answer);
  void match(const std::optional<TestAnswer>& expected, const std::optional<TestAnswer>& got);
  [[nodiscard]] Result<void> wait(Waiting& side, std::uint64_t tc_id, std::optional<TestAnswer> answer);
  [[nodiscard]] std::optional<TestAnswer> take(Waiting& side, Waiting::iterator found);
  void report(std::uint64_t tc_id, const std::string& what);

  ExpectedStream& expected_;
  Report report_;
  Waiting waiting_for_expected_, waiting_for_answer_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t equal_ = 0, different_ = 0;
};

}  // namespace aesgate::acvp
