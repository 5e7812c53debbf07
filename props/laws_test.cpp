#include "laws.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <unistd.h>

#include "core/case_text.h"
#include "faulty_backend.h"
#include "oracle/oracle.h"
#include "props.h"

// Each law is shown to fail, by itself and not only because the oracles see more than it does.

namespace aesgate::props {
namespace {

using testing::HasSubstr;

const Law& law_named(std::string_view name) {
  for (const Law* law : laws())
    if (law->name == name) return *law;
  throw std::invalid_argument("no such law");
}

class CaseFolder {
 public:
  CaseFolder() : path_(std::filesystem::path(testing::TempDir()) / fmt::format("aesgate-laws-{}", ::getpid())) {}
  ~CaseFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Breaking {
  const char* law;
  Fault fault;
  Mode mode;
  Direction direction;
  bool replays = true;  // false: it takes more than one Case to show
};

/// "iv_flip_spreads_as_specified_not_with_iv_bit_ignored_in_CBC_decrypt".
std::string test_name(const testing::TestParamInfo<Breaking>& test) {
  const Breaking& b = test.param;
  std::string text = fmt::format("{}_not_with_{}_in_{}_{}", b.law, name(b.fault), name(b.mode), name(b.direction));
  std::ranges::replace(text, '-', '_');
  return text;
}

void PrintTo(const Breaking& b, std::ostream* out) { *out << b.law << " with " << name(b.fault); }

constexpr auto encrypt = Direction::encrypt;
constexpr auto decrypt = Direction::decrypt;

const Breaking breakings[] = {
    {"agrees-with-the-oracles", Fault::key_bit_ignored, Mode::cbc, encrypt},
    {"decrypt-inverts-encrypt", Fault::encrypt_last_byte, Mode::cfb8, encrypt},
    {"decrypt-inverts-encrypt", Fault::encrypt_last_byte, Mode::cfb1, decrypt},
    {"split-equals-one-call", Fault::carry_lost, Mode::cbc, decrypt},
    {"split-equals-one-call", Fault::carry_lost, Mode::ofb, encrypt},
    {"in-place-equals-out-of-place", Fault::in_place, Mode::ecb, encrypt},
    {"prefix-gives-prefix", Fault::looks_ahead, Mode::cfb128, decrypt},
    {"start-forgets", Fault::key_comes_back, Mode::cbc, encrypt, false},
    {"chaining-value-follows", Fault::chaining_value, Mode::cfb1, decrypt},
    {"chaining-value-follows", Fault::chaining_value_inside, Mode::ofb, encrypt},
    {"chaining-value-continues", Fault::chaining_value, Mode::cbc, encrypt},
    {"ecb-blocks-are-independent", Fault::block_number, Mode::ecb, decrypt},
    {"ecb-blocks-stay-distinct", Fault::input_byte_ignored, Mode::ecb, encrypt},
    {"ofb-keystream-ignores-the-data", Fault::neighbour_leaks, Mode::ofb, encrypt},
    {"ofb-directions-are-equal", Fault::decrypt_first_byte, Mode::ofb, encrypt},
    {"mode-is-built-on-ecb", Fault::iv_bit_ignored, Mode::cbc, decrypt},
    {"mode-is-built-on-ecb", Fault::iv_bit_ignored, Mode::cfb8, encrypt},
    {"ciphertext-flip-spreads-as-specified", Fault::neighbour_leaks, Mode::cfb128, decrypt},
    {"ciphertext-flip-spreads-as-specified", Fault::input_byte_ignored, Mode::ecb, decrypt},
    {"plaintext-flip-spreads-as-specified", Fault::neighbour_leaks, Mode::ofb, encrypt},
    {"iv-flip-spreads-as-specified", Fault::iv_bit_ignored, Mode::cbc, decrypt},
};

TEST(Laws, EachIsAmongTheBreakings) {
  std::set<std::string_view> broken;
  for (const Breaking& b : breakings) broken.insert(b.law);
  for (const Law* law : laws()) EXPECT_TRUE(broken.contains(law->name)) << law->name;
}

class BreakingTest : public testing::TestWithParam<Breaking> {};

TEST_P(BreakingTest, BreaksTheLawItself) {
  const Breaking& b = GetParam();
  const Law& law = law_named(b.law);
  const Shape shape{b.mode, b.direction, KeySize::bits256};
  ASSERT_TRUE(law.applies(shape));
  const rc::Gen<Draft> generator = drafts(shape, law.min_units(b.mode));
  rc::Random random(3);
  int broken = 0;
  for (int i = 0; i < 300; ++i) {
    Trial trial(faulty_backend(b.fault), "a test");
    const std::string what = law.check(trial, generator(random.split()).value());
    ASSERT_FALSE(trial.ended_early());
    if (what.empty()) continue;
    ++broken;
    // The oracles see what a law sees, so that one Case can stand for the law.
    EXPECT_TRUE(std::ranges::any_of(trial.runs(), [](const props::Run& run) {
      return is_failure(run.judgement.verdict);
    })) << what;
  }
  EXPECT_GT(broken, 0);
}

TEST_P(BreakingTest, IsFoundShrunkAndReplays) {
  const Breaking& b = GetParam();
  const Shape shape{b.mode, b.direction, KeySize::bits192};
  const aesgate_backend& backend = faulty_backend(b.fault);
  CaseFolder folder;
  Record record(folder.path());
  Allowance unlimited;
  ASSERT_TRUE(run_law(law_named(b.law), backend, shape, 300, 42, record, unlimited));
  ASSERT_EQ(record.findings().size(), 1u);
  EXPECT_EQ(record.failures(), 1u) << "what shrinking tried must not count";
  const Finding& finding = record.findings()[0];
  EXPECT_THAT(finding.judgement.reason, HasSubstr(fmt::format("law {}", b.law)));
  EXPECT_THAT(finding.origin, HasSubstr(fmt::format("law {}, seed 42, test ", b.law)));
  const Result<Case> found = read_case(finding.case_file);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_LE(found->length, 4 * segment_units(b.mode)) << "not shrunk";
  EXPECT_EQ(b.replays, !finding.judgement.reason.ends_with("what ran before it matters, or chance"));
  if (!b.replays) return;
  const Judgement again = judge(*found, execute(backend, *found), *ask(*found));
  EXPECT_EQ(again.verdict, Verdict::mismatch);
  const Judgement right = judge(*found, execute(faulty_backend(Fault::none), *found), *ask(*found));
  EXPECT_EQ(right.verdict, Verdict::agree) << right.reason;
}

INSTANTIATE_TEST_SUITE_P(Laws, BreakingTest, testing::ValuesIn(breakings), test_name);

class RightTest : public testing::TestWithParam<Shape> {};

TEST_P(RightTest, BreaksNoLaw) {
  Record record(testing::TempDir());
  std::uint64_t cases = 0;
  for (const Law* law : laws()) {
    if (!law->applies(GetParam())) continue;
    Allowance unlimited;
    ASSERT_TRUE(run_law(*law, faulty_backend(Fault::none), GetParam(), 10, 7, record, unlimited));
    cases += 10 * law->cases;
  }
  for (const Finding& finding : record.findings()) ADD_FAILURE() << finding.origin << ": " << finding.judgement.reason;
  EXPECT_EQ(record.tally({}).count(Verdict::agree), cases) << "Law::cases is not what a test runs";
  EXPECT_THAT(record.notes(), testing::Not(testing::Contains(testing::HasSubstr("law"))));
}

INSTANTIATE_TEST_SUITE_P(Laws, RightTest, testing::ValuesIn(all_shapes()), [](const auto& test) {
  std::string text = name(test.param);
  std::ranges::replace(text, ' ', '_');
  return text;
});

}  // namespace
}  // namespace aesgate::props
