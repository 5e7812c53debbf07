#include "kat/acvp.h"

#include "core/execute.h"
#include "kat/acvp_comparison.h"
#include "kat/acvp_response.h"
#include "kat/monte_carlo.h"
#include "oracle/oracle.h"

namespace aesgate::acvp {
namespace {

/// The last segment of an output, in CFB1 the last bit, at the front of a byte.
Bytes last_segment(const Case& c, ByteView output) {
  const std::size_t bits = segment_units(c.shape.mode) * unit_bits(c.shape.mode);
  const std::size_t end = c.output_length() * unit_bits(c.shape.mode);
  Bytes segment(c.input.size());
  for (std::size_t i = 0; i < bits; ++i) set_bit(segment, i, get_bit(output, end - bits + i));
  return segment;
}

/// "resultsArray" has, of each of the hundred steps, what it began with and the last of what came out.
ResultValues result_of(const Case& c, ByteView output) {
  ResultValues values;
  const ByteView key = c.key.bytes();
  values[key_member] = Bytes(key.begin(), key.end());
  if (has_iv(c.shape.mode)) values[iv_member] = Bytes(c.iv.begin(), c.iv.end());
  const bool encrypts = c.shape.direction == Direction::encrypt;
  values[encrypts ? pt_member : ct_member] = c.input;
  values[encrypts ? ct_member : pt_member] = last_segment(c, output);
  return values;
}

class Answering : public PromptSink {
 public:
  Answering(const Files& files, const aesgate_backend& backend, FileReplacement& out, Record& record,
            const std::function<void(const Failure&)>& on_failure)
      : files_(files), backend_(backend), out_(out), record_(record), on_failure_(on_failure), response_(out) {
    const Prompt& prompt = files.prompt;
    record.expect(prompt.functional_tests() + monte_carlo::outer_steps * prompt.monte_carlo_tests());
    if (!files.expected) return;
    stream_.emplace(*files.expected_source, prompt.head());
    comparison_.emplace(*stream_, [this](std::uint64_t tc_id, const std::string& what) {
      out_.discard();
      on_failure_({tc_id, true, what});
    });
  }

  Result<Answers> run() {
    const auto ran = files_.prompt.run(*files_.prompt_source, *this);
    if (!ran) return tl::unexpected(ran.error());
    if (comparison_ && !broken_)
      if (const auto finished = comparison_->finish(); !finished) broken_ = finished.error();
    if (broken_) return tl::unexpected(*broken_);
    if (comparison_) {
      answers_.expected = comparison_->equal();
      answers_.unexpected = comparison_->different();
    }
    if (answers_.exit_status() != 0) return answers_;
    if (const auto committed = out_.commit(); !committed) return tl::unexpected(committed.error());
    answers_.written = true;
    return answers_;
  }

  bool begin_set(const SetHead& set) override {
    response_.begin_set(set);
    return true;
  }

  bool begin_group(const GroupHead& group) override {
    response_.begin_group(group);
    tg_id_ = group.tg_id;
    return true;
  }

  bool test(const GroupHead& group, Test test) override {
    TestAnswer answer{test.tc_id, group.monte_carlo, {}};
    const bool answered = group.monte_carlo ? monte_carlo(test, answer) : functional(test, answer);
    if (!answered) {
      out_.discard();
      return !comparison_ || check(comparison_->unanswered(test.tc_id));
    }
    ++answers_.agree;
    if (const auto writable = write(answer); !writable) return check(writable);
    return !comparison_ || check(comparison_->answered(std::move(answer)));
  }

  bool end_group() override {
    response_.end_group();
    return true;
  }

  bool end_set() override {
    response_.end_set();
    return true;
  }

 private:
  bool functional(Test& test, TestAnswer& answer) {
    test.c.origin = fmt::format("{} tgId {} tcId {}", files_.prompt_source->name(), tg_id_, test.tc_id);
    Outcome outcome;
    if (!judge_one(test.tc_id, test.c, outcome, 1)) return false;
    ResultValues values;
    values[test.c.shape.direction == Direction::encrypt ? ct_member : pt_member] = std::move(outcome.output);
    answer.results.push_back(std::move(values));
    return true;
  }

  bool monte_carlo(Test& test, TestAnswer& answer) {
    for (std::size_t i = 0; i < monte_carlo::outer_steps; ++i) {
      test.c.origin = fmt::format("{} tgId {} tcId {} step {} of {}", files_.prompt_source->name(), tg_id_, test.tc_id,
                                  i + 1, monte_carlo::outer_steps);
      Outcome outcome;
      if (!judge_one(test.tc_id, test.c, outcome, monte_carlo::outer_steps - i)) return false;
      answer.results.push_back(result_of(test.c, outcome.output));
      test.c = monte_carlo::next(test.c, outcome.output);
    }
    return true;
  }

  /// True if the backend agrees with the oracles. `expected_cases`: that many are not judged where this one is not.
  bool judge_one(std::uint64_t tc_id, const Case& c, Outcome& outcome, std::uint64_t expected_cases) {
    outcome = execute(backend_, c);
    // What was not run needs no oracle, and they are slow.
    Judgement judgement = judge(c, outcome, Answer{outcome.output});
    if (judgement.verdict != Verdict::agree && !is_failure(judgement.verdict)) {
      not_run(c, judgement);
      record_.expect_fewer(expected_cases);
      return false;
    }
    const Result<Answer> right = ask(c);
    if (right) {
      judgement = judge(c, outcome, *right);
      record_.judged(Suite::acvp, backend_, c, judgement);
    } else {
      judgement = {Verdict::failed, right.error().message, {}};
      record_.oracle_failed(Suite::acvp, c, "oracles", judgement);
    }
    if (judgement.verdict == Verdict::agree) return true;
    record_.expect_fewer(expected_cases - 1);
    ++answers_.failed;
    const std::string step = c.monte_carlo_steps > 0 ? c.origin.substr(c.origin.rfind("step")) + ": " : "";
    on_failure_({tc_id, false, fmt::format("{}{}: {}", step, name(judgement.verdict), judgement.reason)});
    return false;
  }

  void not_run(const Case& c, const Judgement& judgement) {
    if (answers_.not_run++ == 0)
      answers_.why_not_run = fmt::format("{}: {}", name(judgement.verdict), judgement.reason);
    record_.not_run(Suite::acvp, backend_, c.shape, judgement.verdict, judgement.reason);
  }

  /// Nothing more is written once something was wrong; that is no Error.
  Result<void> write(const TestAnswer& answer) {
    if (answers_.failed > 0 || answers_.not_run > 0 || (comparison_ && comparison_->different() > 0)) return {};
    response_.test(answer);
    return out_.write({});
  }

  bool check(const Result<void>& result) {
    if (!result) broken_ = result.error();
    return result.has_value();
  }

  const Files& files_;
  const aesgate_backend& backend_;
  FileReplacement& out_;
  Record& record_;
  const std::function<void(const Failure&)>& on_failure_;
  Response response_;
  std::optional<ExpectedStream> stream_;
  std::optional<Comparison> comparison_;
  Answers answers_;
  std::uint64_t tg_id_ = 0;
  std::optional<Error> broken_;
};

}  // namespace

Result<Files> Files::open(const std::filesystem::path& prompt, const std::filesystem::path& expected) {
  Files files;
  auto source = Source::open(prompt);
  if (!source) return tl::unexpected(source.error());
  files.prompt_source = std::move(*source);
  auto checked = Prompt::check(*files.prompt_source);
  if (!checked) return tl::unexpected(checked.error());
  files.prompt = std::move(*checked);
  if (expected.empty()) return files;
  source = Source::open(expected);
  if (!source) return tl::unexpected(source.error());
  files.expected_source = std::move(*source);
  auto well_formed = ExpectedFile::check(*files.expected_source, files.prompt.head());
  if (!well_formed) return tl::unexpected(well_formed.error());
  files.expected = std::move(*well_formed);
  return files;
}

int Answers::exit_status() const {
  if (failed > 0 || unexpected > 0) return 1;
  return not_run > 0 ? 3 : 0;
}

Result<Answers> answer(const Files& files, const aesgate_backend& backend, FileReplacement& out, Record& record,
                       const std::function<void(const Failure&)>& on_failure) {
  return Answering(files, backend, out, record, on_failure).run();
}

}  // namespace aesgate::acvp
