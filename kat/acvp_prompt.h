#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/result.h"
#include "kat/acvp_members.h"
#include "kat/acvp_source.h"

namespace aesgate::acvp {

/// What a vector set says of all its tests.
struct SetHead {
  bool in_array = false;                   // [{"acvVersion"}, {…}]
  std::optional<std::string> acv_version;  // "1.0"
  std::uint64_t vs_id = 0;
  Mode mode = Mode::ecb;
  std::optional<bool> is_sample;

  friend bool operator==(const SetHead&, const SetHead&) = default;
};

/// What a group says of its tests.
struct GroupHead {
  std::uint64_t tg_id = 0;
  bool monte_carlo = false;  // testType MCT, else AFT
  Direction direction = Direction::encrypt;
  KeySize key_size = KeySize::bits128;

  friend bool operator==(const GroupHead&, const GroupHead&) = default;
};

/// A test, and the Case that it is: of a Monte Carlo test, the first of its hundred.
struct Test {
  std::uint64_t tc_id = 0;
  Case c;
};

/// PromptSink: takes the tests as they are read. False ends the reading.
class PromptSink {
 public:
  virtual ~PromptSink() = default;
  virtual bool begin_set(const SetHead& set) = 0;
  virtual bool begin_group(const GroupHead& group) = 0;
  virtual bool test(const GroupHead& group, Test test) = 0;
  virtual bool end_group() = 0;
  virtual bool end_set() = 0;
};

/// Late: heads that came after what they are the head of. JSON's members have no order, and a test can only be read by
/// the direction and the key length of its group.
struct Late {
  std::optional<SetHead> set;
  std::map<std::size_t, GroupHead> groups;  // by their place in testGroups

  static constexpr std::size_t most_groups = 100'000;
  [[nodiscard]] bool empty() const { return !set && groups.empty(); }
};

/// Prompt: a vector set of ACVP for AES in a mode of SP 800-38A, revision 1.0 (draft-celi-acvp-symmetric), tests of
/// type AFT and MCT, as a server sends it. Whatever is wrong in it is an Error by its JSON pointer: syntax, types,
/// members that are missing or twice, unknown algorithms and test types, numbers of tests or groups that are there
/// twice, hexadecimal digits, lengths that do not go with each other. Memory does not grow with the file.
class Prompt {
 public:
  /// Reads all of it and checks everything. What comes in an order that needs it is read twice.
  [[nodiscard]] static Result<Prompt> check(Source& source);

  [[nodiscard]] const SetHead& head() const { return head_; }
  [[nodiscard]] std::uint64_t groups() const { return groups_; }
  [[nodiscard]] std::uint64_t functional_tests() const { return functional_tests_; }
  [[nodiscard]] std::uint64_t monte_carlo_tests() const { return monte_carlo_tests_; }
  [[nodiscard]] const Unread& unread() const { return unread_; }

  /// Reads it again, this time for `sink`. False if the sink ended it.
  [[nodiscard]] Result<bool> run(Source& source, PromptSink& sink) const;

 private:
  friend class PromptCounter;

  SetHead head_;
  std::uint64_t groups_ = 0, functional_tests_ = 0, monte_carlo_tests_ = 0;
  Unread unread_;
  Late late_;
};

}  // namespace aesgate::acvp
