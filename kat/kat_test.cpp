#include "kat/kat.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/execute.h"
#include "kat/scratch_vectors.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A folder for the .case files of one test.
class KatStage : public testing::Test {
 protected:
  KatStage() {
    plan_.vectors = published_vectors;
    plan_.effort = Effort::quick;
  }
  ~KatStage() override { std::filesystem::remove_all(cases_); }

  std::filesystem::path cases_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("aesgate_kat_") + testing::UnitTest::GetInstance()->current_test_info()->name());
  Plan plan_;
  Record record_{cases_};
};

// Backends that are the oracle but for one thing.

aesgate_backend based_on_oracle(const char* name) {
  aesgate_backend backend = fips197_oracle();
  backend.name = name;
  return backend;
}

aesgate_update_fn oracle_update(const aesgate_shape* shape) {
  return fips197_oracle().update_for(&fips197_oracle(), shape);
}

aesgate_update_fn cbc_update() {
  static const aesgate_shape shape{AESGATE_CBC, AESGATE_ENCRYPT, 128, 0};
  return oracle_update(&shape);
}

/// CBC encryption with a 128-bit key, and the last bit of messages of ten blocks wrong: what only MMT reaches.
aesgate_backend wrong_in_long_messages() {
  aesgate_backend backend = based_on_oracle("wrong");
  backend.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    if (shape->mode != AESGATE_CBC || shape->direction != AESGATE_ENCRYPT || shape->key_bits != 128 ||
        shape->flags != 0)
      return oracle_update(shape);
    return [](void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
      const int status = cbc_update()(context, in, out, length);
      if (length == 160) out[159] ^= 1;
      return status;
    };
  };
  return backend;
}

/// The same shape right, at 8 µs and more a call.
aesgate_backend slow() {
  aesgate_backend backend = based_on_oracle("slow");
  backend.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    if (shape->mode != AESGATE_CBC || shape->direction != AESGATE_ENCRYPT || shape->key_bits != 128 ||
        shape->flags != 0)
      return nullptr;
    return [](void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(8);
      while (std::chrono::steady_clock::now() < end) {
      }
      return cbc_update()(context, in, out, length);
    };
  };
  return backend;
}

TEST_F(KatStage, every_suite_runs_over_every_shape) {
  for (const Mode mode : all_modes) ASSERT_TRUE(run_kat(fips197_oracle(), mode, plan_, record_));
  EXPECT_EQ(record_.failures(), 0u);
  EXPECT_EQ(record_.tally({.suite = Suite::cavp}).count(Verdict::agree), 12'828u);
  EXPECT_EQ(record_.tally({.suite = Suite::fips197}).count(Verdict::agree), 8u);
  EXPECT_EQ(record_.tally({.suite = Suite::sp800_38a}).count(Verdict::agree), 72u);
  EXPECT_EQ(record_.tally({.suite = Suite::monte_carlo}).count(Verdict::agree), 2 * shape_count);
  EXPECT_EQ(record_.done(), record_.expected());
  for (const Shape& shape : all_shapes()) EXPECT_GT(record_.tally({.shape = shape}).total(), 0u) << name(shape);
}

TEST_F(KatStage, only_the_key_sizes_of_the_plan_run) {
  plan_.key_sizes = {KeySize::bits192};
  ASSERT_TRUE(run_kat(fips197_oracle(), Mode::ecb, plan_, record_));
  for (const Shape& shape : all_shapes())
    EXPECT_EQ(record_.tally({.shape = shape}).total() > 0,
              shape.mode == Mode::ecb && shape.key_size == KeySize::bits192)
        << name(shape);
}

TEST_F(KatStage, a_wrong_backend_is_found_with_a_case_that_replays_it) {
  const aesgate_backend backend = wrong_in_long_messages();
  ASSERT_TRUE(run_kat(backend, Mode::cbc, plan_, record_));
  ASSERT_EQ(record_.findings().size(), 1u);
  const Finding& finding = record_.findings().front();
  EXPECT_EQ(finding.origin, "CBCMMT128.rsp:63 ENCRYPT COUNT=9");
  EXPECT_EQ(finding.judgement.verdict, Verdict::mismatch);
  EXPECT_THAT(finding.judgement.reason, HasSubstr("output differs from the vector at byte 159"));
  const auto replay = read_case(finding.case_file);
  ASSERT_TRUE(replay) << replay.error().message;
  EXPECT_EQ(replay->backend, "wrong");
  const auto answer = ask(*replay);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(judge(*replay, execute(backend, *replay), *answer).reason, finding.judgement.reason);
  EXPECT_EQ(judge(*replay, execute(fips197_oracle(), *replay), *answer).verdict, Verdict::agree);
}

TEST_F(KatStage, a_slow_backend_runs_a_shorter_loop_and_the_record_says_so) {
  plan_.effort = Effort::normal;
  const aesgate_backend backend = slow();
  ASSERT_TRUE(run_kat(backend, Mode::cbc, plan_, record_));
  EXPECT_EQ(record_.failures(), 0u);
  // How slow it is depends on what else the machine does: beyond the one limit, or beyond both.
  const std::uint64_t ran = record_.tally({.suite = Suite::monte_carlo}).count(Verdict::agree);
  EXPECT_THAT(ran, ::testing::AnyOf(3u, 10u));
  EXPECT_EQ(record_.done(), record_.expected());
  EXPECT_THAT(record_.notes(), ::testing::Contains(fmt::format(
                                   "monte-carlo: slow CBC ran {} of 100 outer steps: 1000 calls took more than {} ms",
                                   ran, ran == 3 ? 20 : 5)));
}

TEST_F(KatStage, a_fast_backend_runs_the_whole_loop) {
  plan_.effort = Effort::normal;
  ASSERT_TRUE(run_kat(cryptopp_oracle(), Mode::cfb8, plan_, record_));
  EXPECT_EQ(record_.tally({.suite = Suite::monte_carlo}).count(Verdict::agree), 600u);
  EXPECT_TRUE(record_.notes().empty());
}

TEST_F(KatStage, an_unsupported_shape_is_said_once_for_each_suite) {
  const aesgate_backend backend = slow();  // which does one shape
  ASSERT_TRUE(run_kat(backend, Mode::ofb, plan_, record_));
  EXPECT_EQ(record_.tally({}).count(Verdict::agree), 0u);
  EXPECT_EQ(record_.tally({}).count(Verdict::unsupported), 3u * 6u);
  EXPECT_EQ(record_.tally({}).total(), 3u * 6u);
  EXPECT_EQ(record_.failures(), 0u);
}

TEST_F(KatStage, a_flipped_bit_in_a_vector_is_found_in_the_backend_and_in_both_oracles) {
  const ScratchVectors scratch;
  scratch.flip_last_bit("CFB8MMT192.rsp", "CIPHERTEXT = ");
  plan_.vectors = scratch.folder();
  plan_.modes = {Mode::cfb8};
  ASSERT_TRUE(judge_oracles(plan_, record_));
  EXPECT_TRUE(record_.has_oracle_failure());
  ASSERT_EQ(record_.findings().size(), 2u);
  EXPECT_EQ(record_.findings()[0].backend, cryptopp_oracle().name);
  EXPECT_EQ(record_.findings()[1].backend, fips197_oracle().name);
  const std::map<std::string, std::string> suspects = record_.suspect_vectors();
  ASSERT_EQ(suspects.size(), 1u);
  EXPECT_EQ(suspects.begin()->first, record_.findings()[0].origin);
  EXPECT_EQ(suspects.begin()->second, fmt::format("both oracles say {:02x}: the published value is suspect",
                                                  record_.findings()[0].judgement.difference.value().found));
  for (const Finding& finding : record_.findings())
    EXPECT_THAT(finding.judgement.reason, testing::EndsWith("; " + suspects.begin()->second));

  ASSERT_TRUE(run_kat(fips197_oracle(), Mode::cfb8, plan_, record_));
  ASSERT_EQ(record_.findings().size(), 3u);
  for (const Finding& finding : record_.findings()) {
    EXPECT_EQ(finding.origin, "CFB8MMT192.rsp:9 ENCRYPT COUNT=0");
    EXPECT_THAT(finding.judgement.reason, StartsWith("output differs from the vector at byte 0"));
    const auto replay = read_case(finding.case_file);
    ASSERT_TRUE(replay) << replay.error().message;
    EXPECT_EQ(replay->origin, finding.origin);
  }
}

TEST_F(KatStage, the_published_vectors_find_nothing_against_the_oracles) {
  ASSERT_TRUE(judge_oracles(plan_, record_));
  EXPECT_FALSE(record_.has_oracle_failure());
  EXPECT_TRUE(record_.findings().empty());
}

TEST_F(KatStage, bad_vectors_are_an_error_and_no_verdict) {
  plan_.vectors = cases_ / "absent";
  const auto ran = run_kat(fips197_oracle(), Mode::ecb, plan_, record_);
  ASSERT_FALSE(ran);
  EXPECT_THAT(ran.error().message, HasSubstr("SHA256SUMS"));
  EXPECT_FALSE(judge_oracles(plan_, record_));
  EXPECT_EQ(record_.tally({}).total(), 0u);
}

}  // namespace
}  // namespace aesgate
