#include "kat/acvp.h"

#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/registry.h"
#include "core/session.h"
#include "kat/acvp_sets_test.h"
#include "oracle/oracle.h"

namespace aesgate::acvp {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Acvp : public AcvpTest {};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Backends that are the oracle but for one thing.

aesgate_update_fn oracle_update(const aesgate_shape* shape) {
  return fips197_oracle().update_for(&fips197_oracle(), shape);
}

aesgate_backend wrong_in_decrypt() {
  aesgate_backend backend = fips197_oracle();
  backend.name = "wrong";
  backend.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    if (shape->direction == AESGATE_ENCRYPT || shape->mode != AESGATE_CBC || shape->key_bits != 128 ||
        shape->flags != 0)
      return oracle_update(shape);
    return [](void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
      static const aesgate_shape cbc_decrypt{AESGATE_CBC, AESGATE_DECRYPT, 128, 0};
      const int status = oracle_update(&cbc_decrypt)(context, in, out, length);
      if (length > 0) out[0] ^= 0x10;
      return status;
    };
  };
  return backend;
}

aesgate_backend no_decrypt() {
  aesgate_backend backend = fips197_oracle();
  backend.name = "half";
  backend.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    return shape->direction == AESGATE_DECRYPT ? nullptr : oracle_update(shape);
  };
  return backend;
}

TEST_F(Acvp, AnswersInTheFormOfThePrompt) {
  const Answered answered = answer(fips197_oracle(), cbc_prompt, cbc_response);
  EXPECT_EQ(answered.error, "");
  EXPECT_EQ(answered.answers.agree, 2u);
  EXPECT_EQ(answered.answers.expected, 2u);
  EXPECT_EQ(answered.answers.exit_status(), 0);
  EXPECT_TRUE(answered.answers.written);
  EXPECT_EQ(answered.response, cbc_response);

  std::string plain = cbc_prompt;
  plain = replaced(plain, R"([{"acvVersion": "1.0"}, {)", "{");
  plain.pop_back();
  const std::string plain_response = answer(fips197_oracle(), plain).response;
  EXPECT_EQ("[{\"acvVersion\":\"1.0\"},\n" + replaced(plain_response, "}]}]}\n", "}]}]}]\n"), cbc_response);
}

TEST_F(Acvp, AFlippedDigitIsNamed) {
  const Answered answered = answer(fips197_oracle(), cbc_prompt, replaced(cbc_response, "5086CB9B", "5086CA9B"));
  EXPECT_EQ(answered.answers.agree, 2u);
  EXPECT_EQ(answered.answers.expected, 1u);
  EXPECT_EQ(answered.answers.unexpected, 1u);
  EXPECT_EQ(answered.answers.exit_status(), 1);
  ASSERT_EQ(answered.failures.size(), 1u);
  EXPECT_EQ(answered.failures[0].tc_id, 1u);
  EXPECT_TRUE(answered.failures[0].unexpected);
  EXPECT_EQ(answered.failures[0].what,
            "ct: byte 18: expected …5086CA9B507219EE95DB113A917678B2, got …5086CB9B507219EE95DB113A917678B2");
  EXPECT_EQ(answered.response, "");
}

TEST_F(Acvp, ExpectedResultsInAnotherOrderAreMatched) {
  const std::string swapped = R"({"vsId": 12, "testGroups": [
    {"tgId": 4, "tests": [{"tcId": 9, "pt": "6bc1bee22e409f96e93d7e117393172a"}]},
    {"tgId": 1, "tests": [{"ct": "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2", "tcId": 1}]}]})";
  EXPECT_EQ(answer(fips197_oracle(), cbc_prompt, swapped).answers.expected, 2u);
  const Answered other = answer(fips197_oracle(), cbc_prompt, replaced(swapped, "\"tcId\": 9", "\"tcId\": 8"));
  ASSERT_EQ(other.failures.size(), 2u);
  EXPECT_EQ(other.failures[0].tc_id, 8u);
  EXPECT_EQ(other.failures[0].what, "expected, but not in the prompt");
  EXPECT_EQ(other.failures[1].tc_id, 9u);
  EXPECT_EQ(other.failures[1].what, "not among the expected results");
  EXPECT_EQ(other.answers.exit_status(), 1);
}

TEST_F(Acvp, AWrongBackendHasNoResponse) {
  write("response.json", "of before");
  const aesgate_backend wrong = wrong_in_decrypt();
  const Answered answered = answer(wrong, cbc_prompt, cbc_response);
  EXPECT_EQ(answered.error, "");
  EXPECT_EQ(answered.answers.agree, 1u);
  EXPECT_EQ(answered.answers.failed, 1u);
  EXPECT_EQ(answered.answers.unexpected, 0u);
  EXPECT_EQ(answered.answers.exit_status(), 1);
  ASSERT_EQ(answered.failures.size(), 1u);
  EXPECT_EQ(answered.failures[0].tc_id, 9u);
  EXPECT_FALSE(answered.failures[0].unexpected);
  EXPECT_EQ(answered.failures[0].what, "mismatch: output differs from the oracles at byte 0: expected 6b, got 7b");
  EXPECT_EQ(answered.response, "of before");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "cases"), {}), 1);
}

TEST_F(Acvp, WhatABackendDoesNotDoIsCounted) {
  const aesgate_backend half = no_decrypt();
  const Answered answered = answer(half, cbc_prompt, cbc_response);
  EXPECT_EQ(answered.answers.agree, 1u);
  EXPECT_EQ(answered.answers.not_run, 1u);
  EXPECT_EQ(answered.answers.why_not_run, "unsupported: this backend does not do it");
  EXPECT_EQ(answered.answers.exit_status(), 3);
  EXPECT_TRUE(answered.failures.empty());
  EXPECT_EQ(answered.response, "");
}

TEST_F(Acvp, ExpectedFilesAreRefusedLikePrompts) {
  const std::string file = (folder / "expected.json").string() + ": ";
  const auto refused = [&](const std::string& from, const std::string& to) {
    const Answered answered = answer(fips197_oracle(), cbc_prompt, replaced(cbc_response, from, to));
    EXPECT_THAT(answered.error, StartsWith(file));
    EXPECT_EQ(answered.response, "");
    return answered.error.substr(std::min(file.size(), answered.error.size()));
  };
  EXPECT_EQ(refused("\"vsId\":12", "\"vsId\":13"), "/1/vsId: 13, but the prompt has 12; are these two of one set?");
  EXPECT_EQ(refused("AES-CBC", "AES-OFB"),
            "/1/algorithm: ACVP-AES-OFB, but the prompt has ACVP-AES-CBC; are these two of one set?");
  EXPECT_EQ(refused("\"tcId\":9", "\"tcId\":1"), "/1/testGroups/1/tests/0/tcId: 1 is there twice");
  EXPECT_EQ(refused("7649AB", "7649A"), "/1/testGroups/0/tests/0/ct: 63 hexadecimal digits, an odd number");
  EXPECT_EQ(refused("\"tcId\":9", "\"id\":9"), "/1/testGroups/1/tests/0/tcId: the member is missing");
  EXPECT_EQ(refused("testGroups", "groups"), "/1/testGroups: the member is missing");
  EXPECT_THAT(refused("]}]}]\n", "]}"), HasSubstr("malformed JSON: "));
}

/// The Monte Carlo tests of draft-celi-acvp-symmetric, section "Monte Carlo tests for block ciphers", spelled out over
/// one segment a call: an answer, in the members that a response has.
std::vector<ResultValues> spelled_out(const Shape& shape, Bytes key, Bytes iv, Bytes text) {
  const bool encrypts = shape.direction == Direction::encrypt;
  const std::size_t units = segment_units(shape.mode), bits = units * unit_bits(shape.mode);
  std::vector<ResultValues> results;
  for (int i = 0; i < 100; ++i) {
    ResultValues result;
    result[key_member] = key;
    if (has_iv(shape.mode)) result[iv_member] = iv;
    result[encrypts ? pt_member : ct_member] = text;
    Session session(fips197_oracle(), shape);
    EXPECT_EQ(session.start(key.data(), iv.data()), Status::ok);
    Bytes all;  // the outputs, a bit a byte
    for (int j = 0; j < 1000; ++j) {
      Bytes out(text.size(), 0);
      EXPECT_EQ(session.update(text.data(), out.data(), units), Status::ok);
      for (std::size_t bit = 0; bit < bits; ++bit) all.push_back(get_bit(out, bit) ? 1 : 0);
      const std::size_t fed = 128 / bits;
      for (std::size_t bit = 0; bit < bits; ++bit) {
        const std::size_t at = static_cast<std::size_t>(j) * bits + bit;
        const bool from_iv = has_iv(shape.mode) && static_cast<std::size_t>(j) < fed;
        const bool next = shape.mode == Mode::ecb ? get_bit(out, bit) : from_iv ? get_bit(iv, at) : all[at - 128] != 0;
        set_bit(text, bit, next);
      }
      result[encrypts ? ct_member : pt_member] = out;
    }
    results.push_back(std::move(result));
    for (std::size_t bit = 0; bit < 8 * key.size(); ++bit)
      set_bit(key, bit, get_bit(key, bit) != (all[all.size() - 8 * key.size() + bit] != 0));
    for (std::size_t bit = 0; bit < 128; ++bit) set_bit(iv, bit, all[all.size() - 128 + bit] != 0);
  }
  return results;
}

std::string expected_json(const std::vector<ResultValues>& results) {
  std::string text = R"({"vsId": 7, "testGroups": [{"tgId": 1, "tests": [{"tcId": 5, "resultsArray": [)";
  for (std::size_t i = 0; i < results.size(); ++i) {
    text += i == 0 ? "{" : ", {";
    std::string between;
    for (std::size_t member = 0; member < result_members.size(); ++member) {
      if (!results[i][member]) continue;
      text += fmt::format("{}\"{}\": \"{}\"", between, result_members[member], to_hex(*results[i][member]));
      between = ", ";
    }
    text += '}';
  }
  return text + "]}]}]}";
}

class AcvpMonteCarlo : public AcvpTest, public testing::WithParamInterface<Shape> {};

std::vector<Shape> monte_carlo_shapes() {
  std::vector<Shape> shapes;
  std::size_t i = 0;  // each mode and direction once, each key size in turn
  for (const Mode mode : all_modes)
    for (const Direction direction : all_directions) shapes.push_back({mode, direction, all_key_sizes[i++ % 3]});
  return shapes;
}

TEST_P(AcvpMonteCarlo, GivesAHundredResults) {
  const Shape shape = GetParam();
  const bool encrypts = shape.direction == Direction::encrypt;
  Bytes key(key_bytes(shape.key_size)), iv(16);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(17 * i + 3);
  for (std::size_t i = 0; i < iv.size(); ++i) iv[i] = static_cast<std::uint8_t>(29 * i + 5);
  Bytes text(bytes_for(shape.mode, segment_units(shape.mode)), 0x80);
  const std::string prompt = vector_set(
      algorithm_name(shape.mode),
      fmt::format(R"("testType": "MCT", "direction": "{}", "keyLen": {})", name(shape.direction), bits(shape.key_size)),
      fmt::format(R"({{"tcId": 5, {}{} "key": "{}", "{}": "{}"}})",
                  has_iv(shape.mode) ? fmt::format("\"iv\": \"{}\",", to_hex(iv)) : "",
                  shape.mode == Mode::cfb1 ? "\"payloadLen\": 1," : "", to_hex(key), encrypts ? "pt" : "ct",
                  to_hex(text)));
  std::vector<ResultValues> results = spelled_out(shape, key, iv, text);
  const Answered answered = answer(cryptopp_oracle(), prompt, expected_json(results));
  EXPECT_EQ(answered.error, "");
  EXPECT_EQ(answered.answers.exit_status(), 0);
  EXPECT_EQ(answered.answers.expected, 1u);
  for (const Failure& failure : answered.failures) ADD_FAILURE() << failure.what;
  EXPECT_THAT(answered.response, HasSubstr("\"resultsArray\":[\n{\"key\":\"" + to_upper_hex(key) + "\""));

  results[99][encrypts ? ct_member : pt_member]->front() ^= 0x80;
  const Answered flipped = answer(cryptopp_oracle(), prompt, expected_json(results));
  ASSERT_EQ(flipped.failures.size(), 1u);
  EXPECT_THAT(flipped.failures[0].what,
              StartsWith(encrypts ? "resultsArray/99/ct: expected " : "resultsArray/99/pt: expected "));
}

INSTANTIATE_TEST_SUITE_P(Shapes, AcvpMonteCarlo, testing::ValuesIn(monte_carlo_shapes()), [](const auto& test) {
  std::string text = name(test.param);
  std::ranges::replace(text, ' ', '_');
  return text;
});

TEST_F(Acvp, AMonteCarloTestEndsAtItsFirstWrongStep) {
  const aesgate_backend wrong = wrong_in_decrypt();
  const Answered answered = answer(
      wrong,
      vector_set("ACVP-AES-CBC", R"("testType": "MCT", "direction": "decrypt", "keyLen": 128)",
                 R"({"tcId": 5, "key": "00000000000000000000000000000000", "iv": "00000000000000000000000000000000",
                     "ct": "00000000000000000000000000000000"})"));
  EXPECT_EQ(answered.answers.failed, 1u);
  ASSERT_EQ(answered.failures.size(), 1u);
  EXPECT_THAT(answered.failures[0].what,
              StartsWith("step 1 of 100: mismatch: output differs from the oracles at byte 0"));
}

/// NIST's own sample files, where AESGATE_ACVP_SAMPLES names their folder (ACVP-AES-CBC-1.0/prompt.json and so on).
TEST_F(Acvp, NistSamples) {
  const char* samples = std::getenv("AESGATE_ACVP_SAMPLES");
  if (samples == nullptr || *samples == '\0')
    GTEST_SKIP() << "AESGATE_ACVP_SAMPLES names no folder of NIST's ACVP sample files";
  const std::vector<const aesgate_backend*>& backends = built_in_backends();
  const auto fast =
      std::ranges::find_if(backends, [](const aesgate_backend* b) { return why_unavailable(*b).empty(); });
  ASSERT_NE(fast, backends.end());
  std::size_t sets = 0;
  for (const Mode mode : all_modes) {
    const auto set = std::filesystem::path(samples) / (algorithm_name(mode) + "-1.0");
    if (!std::filesystem::exists(set)) continue;
    SCOPED_TRACE(set.string());
    ++sets;
    const Answered answered = answer_files(**fast, set / "prompt.json", set / "expectedResults.json");
    EXPECT_EQ(answered.error, "");
    EXPECT_EQ(answered.answers.exit_status(), 0);
    EXPECT_GT(answered.answers.expected, 2000u);
    EXPECT_TRUE(answered.failures.empty());
  }
  EXPECT_GT(sets, 0u) << samples;
}

}  // namespace
}  // namespace aesgate::acvp
