#include "kat/acvp_prompt.h"

#include "core/text_file.h"
#include "kat/acvp_test_case.h"

namespace aesgate::acvp {
namespace {

template <typename T>
Result<void> put(std::optional<T>& target, Result<T> value) {
  if (!value) return tl::unexpected(value.error());
  target = std::move(*value);
  return {};
}

Result<bool> test_type(const Value& value) {
  const auto text = short_text(value);
  if (!text) return tl::unexpected(text.error());
  if (*text == "AFT" || *text == "MCT") return *text == "MCT";
  return error("unknown test type \"{}\"; known: AFT, MCT", excerpt(*text));
}

Result<Direction> direction(const Value& value) {
  const auto text = short_text(value);
  if (!text) return tl::unexpected(text.error());
  for (const Direction direction : all_directions)
    if (*text == name(direction)) return direction;
  return error("unknown direction \"{}\"; known: encrypt, decrypt", excerpt(*text));
}

Result<KeySize> key_len(const Value& value) {
  const auto number = whole_number(value);
  if (!number) return tl::unexpected(number.error());
  for (const KeySize size : all_key_sizes)
    if (*number == bits(size)) return size;
  return error("unknown key size {}; known: 128, 192, 256", *number);
}

/// The members of a vector set as they are read.
struct SetMembers {
  bool in_array = false, has_groups = false;
  std::optional<std::string> acv_version, revision;
  std::optional<std::uint64_t> vs_id;
  std::optional<Mode> mode;
  std::optional<bool> is_sample;

  [[nodiscard]] Result<SetHead> make() const {
    if (!vs_id) return missing("vsId");
    if (!mode) return missing("algorithm");
    if (!revision) return missing("revision");
    return SetHead{in_array, acv_version, *vs_id, *mode, is_sample};
  }
};

struct GroupMembers {
  bool has_tests = false;
  std::optional<std::uint64_t> tg_id;
  std::optional<bool> monte_carlo;
  std::optional<Direction> direction;
  std::optional<KeySize> key_size;

  [[nodiscard]] Result<GroupHead> make() const {
    if (!tg_id) return missing("tgId");
    if (!monte_carlo) return missing("testType");
    if (!direction) return missing("direction");
    if (!key_size) return missing("keyLen");
    return GroupHead{*tg_id, *monte_carlo, *direction, *key_size};
  }
};

constexpr const char* changed = "the file changed while it was read";

/// One reading. Heads that are late and not in `known` go to `found`, and their tests are then read, but not checked
/// against them; sink_ gets nothing of those.
class Reading : public Visitor {
 public:
  Reading(const Late& known, PromptSink& sink) : known_(known), sink_(sink) {}

  Late found;
  Unread unread;
  bool ended_by_sink = false;

  Result<void> begin(Level level) override {
    if (level == Level::version) set_.in_array = true;
    if (level == Level::group) begin_group();
    if (level == Level::test) test_ = {};
    return {};
  }

  Result<void> member(Level level, std::string_view name, const Value& value) override {
    switch (level) {
      case Level::version: return version_member(name, value);
      case Level::set: return set_member(name, value);
      case Level::group: return group_member(name, value);
      case Level::test: return test_member(name, value);
      case Level::result: return {};  // there is none in a prompt: test_member() refuses resultsArray
    }
    return {};
  }

  Result<void> end(Level level) override {
    switch (level) {
      case Level::version: return set_.acv_version ? Result<void>() : missing("acvVersion");
      case Level::set: return end_set();
      case Level::group: return end_group();
      case Level::test: return end_test();
      case Level::result: return {};
    }
    return {};
  }

 private:
  Result<void> version_member(std::string_view name, const Value& value) {
    if (name == "acvVersion") return put(set_.acv_version, short_text(value));
    unread.add(Level::version, name);
    return {};
  }

  Result<void> set_member(std::string_view name, const Value& value) {
    if (name == "acvVersion") return put(set_.acv_version, short_text(value));
    if (name == "vsId") return put(set_.vs_id, whole_number(value));
    if (name == "algorithm") return put(set_.mode, algorithm(value));
    if (name == "revision") return put(set_.revision, revision(value));
    if (name == "isSample") return put(set_.is_sample, true_or_false(value));
    if (name == "testGroups") return begin_groups();
    unread.add(Level::set, name);
    return {};
  }

  Result<void> group_member(std::string_view name, const Value& value) {
    if (name == "tgId") return take_group_id(value);
    if (name == "testType") return put(group_.monte_carlo, test_type(value));
    if (name == "direction") return put(group_.direction, direction(value));
    if (name == "keyLen") return put(group_.key_size, key_len(value));
    if (name == "tests") return begin_tests();
    unread.add(Level::group, name);
    return {};
  }

  Result<void> test_member(std::string_view name, const Value& value) {
    const auto taken = test_.take(name, value);
    if (!taken) return tl::unexpected(taken.error());
    if (name == "tcId") return add_id(test_ids_, *test_.tc_id);
    if (name == "resultsArray") return error("results are in a response; is this a prompt?");
    if (!*taken) unread.add(Level::test, name);
    return {};
  }

  Result<void> take_group_id(const Value& value) {
    if (const auto number = put(group_.tg_id, whole_number(value)); !number) return number;
    return add_id(group_ids_, *group_.tg_id);
  }

  Result<void> begin_groups() {
    set_.has_groups = true;
    if (const auto head = set_.make(); head && !known_.set)
      head_ = *head;
    else
      head_ = known_.set;
    return head_ ? go_on(sink_.begin_set(*head_)) : Result<void>();
  }

  void begin_group() {
    group_ = {};
    group_head_.reset();
    tests_ = 0;
  }

  Result<void> begin_tests() {
    group_.has_tests = true;
    if (const auto head = group_.make()) {
      group_head_ = *head;
    } else if (const auto late = known_.groups.find(groups_); late != known_.groups.end()) {
      group_head_ = late->second;
    }
    return head_ && group_head_ ? go_on(sink_.begin_group(*group_head_)) : Result<void>();
  }

  Result<void> end_test() {
    ++tests_;
    if (!test_.tc_id) return missing("tcId");
    if (!head_ || !group_head_) return {};
    auto c = test_.make(head_->mode, *group_head_);
    if (!c) return tl::unexpected(c.error());
    return go_on(sink_.test(*group_head_, {*test_.tc_id, std::move(*c)}));
  }

  Result<void> end_group() {
    const auto head = group_.make();
    if (!head) return tl::unexpected(head.error());
    if (!group_.has_tests) return missing("tests");
    if (tests_ == 0) return error("/tests: there is no test in it");
    if (!group_head_) {
      if (found.groups.size() == Late::most_groups)
        return error("/tests: more than {} groups have their tests before what is said of them", Late::most_groups);
      found.groups.emplace(groups_, *head);
    } else if (*group_head_ != *head) {
      return error("{}", changed);
    }
    const bool given_to_sink = head_ && group_head_;
    ++groups_;
    return given_to_sink ? go_on(sink_.end_group()) : Result<void>();
  }

  Result<void> end_set() {
    const auto head = set_.make();
    if (!head) return tl::unexpected(head.error());
    if (!set_.has_groups) return missing("testGroups");
    if (groups_ == 0) return error("/testGroups: there is no group in it");
    if (head_ && *head_ == *head) return go_on(sink_.end_set());
    if (known_.set) return error("{}", changed);
    found.set = *head;  // some of it came after the groups
    return {};
  }

  Result<void> go_on(bool wanted) {
    if (wanted) return {};
    ended_by_sink = true;
    return error("ended");
  }

  const Late& known_;
  PromptSink& sink_;
  SetMembers set_;
  std::optional<SetHead> head_;
  GroupMembers group_;
  std::optional<GroupHead> group_head_;
  TestMembers test_;
  IdSet group_ids_, test_ids_;
  std::size_t groups_ = 0, tests_ = 0;
};

}  // namespace

/// Takes tests for no purpose but to know what there is.
class PromptCounter : public PromptSink {
 public:
  explicit PromptCounter(Prompt& prompt) : prompt_(prompt) {}
  bool begin_set(const SetHead& set) override {
    prompt_.head_ = set;
    return true;
  }
  bool begin_group(const GroupHead&) override {
    ++prompt_.groups_;
    return true;
  }
  bool test(const GroupHead& group, Test) override {
    ++(group.monte_carlo ? prompt_.monte_carlo_tests_ : prompt_.functional_tests_);
    return true;
  }
  bool end_group() override { return true; }
  bool end_set() override { return true; }

 private:
  Prompt& prompt_;
};

Result<Prompt> Prompt::check(Source& source) {
  Late late;
  for (;;) {
    Prompt prompt;
    PromptCounter counter(prompt);
    Reading reading(late, counter);
    if (const auto walked = walk(source, reading); !walked) return tl::unexpected(walked.error());
    if (reading.found.empty()) {
      prompt.unread_ = std::move(reading.unread);
      prompt.late_ = std::move(late);
      return prompt;
    }
    if (!late.empty()) return error("{}: {}", source.name(), changed);
    late = std::move(reading.found);
  }
}

Result<bool> Prompt::run(Source& source, PromptSink& sink) const {
  Reading reading(late_, sink);
  const auto walked = walk(source, reading);
  if (reading.ended_by_sink) return false;
  if (!walked) return tl::unexpected(walked.error());
  if (!reading.found.empty()) return error("{}: {}", source.name(), changed);
  return true;
}

}  // namespace aesgate::acvp
