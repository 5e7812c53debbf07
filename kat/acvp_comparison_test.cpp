#include "kat/acvp_comparison.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aesgate::acvp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A response with one byte for each of `ids`, which is the id's last.
std::string expected_text(const std::vector<std::uint64_t>& ids) {
  std::string tests;
  for (const std::uint64_t id : ids)
    tests += fmt::format("{}{{\"tcId\": {}, \"ct\": \"{:02x}\"}}", tests.empty() ? "" : ", ", id, id & 255);
  return R"({"testGroups": [{"tgId": 1, "tests": [)" + tests + "]}]}";
}

TestAnswer answer_of(std::uint64_t id) {
  ResultValues values;
  values[ct_member] = Bytes{static_cast<std::uint8_t>(id)};
  return {id, false, {values}};
}

TEST(AcvpComparison, MatchesByIdInAnyOrder) {
  std::vector<std::uint64_t> ids;
  for (std::uint64_t id = 1000; id > 0; --id) ids.push_back(id);
  const std::string text = expected_text(ids);
  const auto source = Source::from(text, "e.json");
  const SetHead set;
  ExpectedStream stream(*source, set);
  std::vector<std::uint64_t> reported;
  Comparison comparison(stream, [&](std::uint64_t id, const std::string&) { reported.push_back(id); });
  for (std::uint64_t id = 1; id <= 1000; ++id) {
    if (id == 17)
      ASSERT_TRUE(comparison.unanswered(id));
    else
      ASSERT_TRUE(comparison.answered(answer_of(id)));
  }
  ASSERT_TRUE(comparison.finish());
  EXPECT_EQ(comparison.equal(), 999u);
  EXPECT_TRUE(reported.empty());
}

TEST(AcvpComparison, NamesWhatDiffersAndWhatIsMissing) {
  const std::string text = expected_text({1, 2, 4, 5, 6});
  const auto source = Source::from(text, "e.json");
  const SetHead set;
  ExpectedStream stream(*source, set);
  std::vector<std::string> reported;
  Comparison comparison(
      stream, [&](std::uint64_t id, const std::string& what) { reported.push_back(fmt::format("{} {}", id, what)); });
  TestAnswer wrong = answer_of(1);
  wrong.results[0][ct_member] = Bytes{0xab};
  ASSERT_TRUE(comparison.answered(std::move(wrong)));
  for (const std::uint64_t id : {2u, 3u, 4u, 5u}) ASSERT_TRUE(comparison.answered(answer_of(id)));
  ASSERT_TRUE(comparison.finish());
  EXPECT_THAT(reported, ElementsAre("1 ct: expected 01, got AB", "6 expected, but not in the prompt",
                                    "3 not among the expected results"));
  EXPECT_EQ(comparison.equal(), 3u);
  EXPECT_EQ(comparison.different(), 3u);
}

TEST(AcvpComparison, WaitsInBoundedMemory) {
  std::vector<std::uint64_t> ids;
  for (std::uint64_t id = 1; id <= 20; ++id) ids.push_back(id);
  const std::string text = expected_text(ids);
  const auto source = Source::from(text, "e.json");
  const SetHead set;
  ExpectedStream stream(*source, set);
  Comparison comparison(stream, [](std::uint64_t, const std::string&) {});
  Result<void> result;
  for (std::uint64_t id = 100; id < 110 && result; ++id) {
    TestAnswer answer = answer_of(id);
    answer.results[0][ct_member] = Bytes(Comparison::most_bytes / 4);
    result = comparison.answered(std::move(answer));
  }
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("in another order than the prompt"));
}

TEST(AcvpComparison, AStreamThatNobodyReadsToItsEndEnds) {
  std::vector<std::uint64_t> ids;
  for (std::uint64_t id = 1; id <= 10'000; ++id) ids.push_back(id);
  const std::string text = expected_text(ids);
  const auto source = Source::from(text, "e.json");
  const SetHead set;
  ExpectedStream stream(*source, set);
  const auto first = stream.next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->tc_id, 1u);
}

TEST(AcvpAnswer, DifferencesOfForm) {
  TestAnswer one = answer_of(1), other = answer_of(1);
  EXPECT_EQ(difference(one, other), std::nullopt);
  other.results[0][ct_member].reset();
  EXPECT_EQ(difference(one, other), "ct: expected, but the answer to this test has none");
  EXPECT_EQ(difference(other, one), "ct: missing in what is expected");
  other = answer_of(1);
  other.results[0][ct_member]->push_back(2);
  EXPECT_EQ(difference(one, other), "ct: expected 01, got 0102");
  other = answer_of(1);
  other.is_array = true;
  EXPECT_EQ(difference(one, other), "resultsArray: missing in what is expected");
  one.is_array = true;
  one.results.push_back(one.results[0]);
  EXPECT_EQ(difference(one, other), "resultsArray: expected 2 results, got 1");
}

TEST(AcvpIdSet, KeepsRanges) {
  IdSet ids;
  using Added = IdSet::Added;
  for (const std::uint64_t id : {5u, 7u, 6u, 4u, 100u, 0u}) EXPECT_EQ(ids.add(id), Added::yes) << id;
  for (const std::uint64_t id : {5u, 7u, 6u, 4u, 100u, 0u}) EXPECT_EQ(ids.add(id), Added::already_there) << id;
  EXPECT_EQ(ids.add(UINT64_MAX), Added::yes);
  EXPECT_EQ(ids.add(UINT64_MAX), Added::already_there);
  EXPECT_EQ(ids.add(UINT64_MAX - 1), Added::yes);
  IdSet scattered;
  for (std::uint64_t i = 0; i < IdSet::most_ranges; ++i) ASSERT_EQ(scattered.add(2 * i), Added::yes);
  EXPECT_EQ(scattered.add(2 * IdSet::most_ranges), Added::too_scattered);
  EXPECT_EQ(scattered.add(1), Added::yes);
}

}  // namespace
}  // namespace aesgate::acvp
