#include "kat/acvp_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kat/acvp_sets_test.h"

namespace aesgate::acvp {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Result<Prompt> check(const std::string& text) {
  const auto source = Source::from(text, "p.json");
  return Prompt::check(*source);
}

/// The Error without the file's name; empty if there is none.
std::string refused(const std::string& text) {
  const auto prompt = check(text);
  if (prompt) return {};
  EXPECT_THAT(prompt.error().message, StartsWith("p.json: "));
  EXPECT_THAT(prompt.error().message, Not(HasSubstr("\n")));
  EXPECT_LT(prompt.error().message.size(), 400u);
  return prompt.error().message.substr(8);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// What is said of cbc_prompt with one thing changed.
std::string refused(const std::string& from, const std::string& to) { return refused(replaced(cbc_prompt, from, to)); }

const std::string cfb1_group = R"("testType": "AFT", "direction": "encrypt", "keyLen": 128)";
std::string cfb1_test(const std::string& members) {
  return vector_set("ACVP-AES-CFB1", cfb1_group,
                    R"({"tcId": 1, "key": "00000000000000000000000000000000",
                        "iv": "00000000000000000000000000000000", )" +
                        members + "}");
}

/// Keeps the Cases.
class Keeper : public PromptSink {
 public:
  bool begin_set(const SetHead&) override { return true; }
  bool begin_group(const GroupHead&) override { return true; }
  bool test(const GroupHead& group, Test test) override {
    groups.push_back(group);
    tests.push_back(std::move(test));
    return tests.size() < most;
  }
  bool end_group() override { return true; }
  bool end_set() override { return true; }

  std::size_t most = 100;
  std::vector<GroupHead> groups;
  std::vector<Test> tests;
};

TEST(AcvpPrompt, SaysWhatThereIs) {
  const auto prompt = check(cbc_prompt);
  ASSERT_TRUE(prompt) << prompt.error().message;
  EXPECT_EQ(prompt->head(), (SetHead{true, "1.0", 12, Mode::cbc, true}));
  EXPECT_EQ(prompt->groups(), 2u);
  EXPECT_EQ(prompt->functional_tests(), 2u);
  EXPECT_EQ(prompt->monte_carlo_tests(), 0u);
  EXPECT_TRUE(prompt->unread().notes("p.json").empty());
}

TEST(AcvpPrompt, GivesCases) {
  const auto source = Source::from(cbc_prompt, "p.json");
  const auto prompt = Prompt::check(*source);
  ASSERT_TRUE(prompt);
  Keeper keeper;
  ASSERT_TRUE(prompt->run(*source, keeper));
  ASSERT_EQ(keeper.tests.size(), 2u);
  const Case& c = keeper.tests[0].c;
  EXPECT_EQ(keeper.tests[0].tc_id, 1u);
  EXPECT_EQ(c.shape, (Shape{Mode::cbc, Direction::encrypt, KeySize::bits128}));
  EXPECT_EQ(to_hex(c.key.bytes()), "2b7e151628aed2a6abf7158809cf4f3c");
  EXPECT_EQ(to_hex(c.iv), "000102030405060708090a0b0c0d0e0f");
  EXPECT_EQ(c.length, 32u);
  EXPECT_TRUE(c.validate());
  EXPECT_EQ(keeper.tests[1].c.shape.direction, Direction::decrypt);
  EXPECT_EQ(keeper.groups[1].tg_id, 4u);

  keeper.tests.clear();
  keeper.most = 1;
  const auto ended = prompt->run(*source, keeper);
  ASSERT_TRUE(ended);
  EXPECT_FALSE(*ended);
  EXPECT_EQ(keeper.tests.size(), 1u);
}

TEST(AcvpPrompt, MembersHaveNoOrder) {
  const std::string late = R"({"testGroups": [
    {"tests": [{"key": "00000000000000000000000000000000", "pt": "80", "payloadLen": 1,
                "iv": "00000000000000000000000000000000", "tcId": 3}],
     "keyLen": 128, "direction": "encrypt", "testType": "AFT", "tgId": 2},
    {"tgId": 1, "testType": "MCT", "direction": "decrypt", "keyLen": 192, "tests": [
               {"key": "000000000000000000000000000000000000000000000000", "ct": "FF", "payloadLen": 1,
                "iv": "00000000000000000000000000000000", "tcId": 4}]}],
   "revision": "1.0", "algorithm": "ACVP-AES-CFB1", "isSample": false, "vsId": 3})";
  const auto source = Source::from(late, "p.json");
  const auto prompt = Prompt::check(*source);
  ASSERT_TRUE(prompt) << prompt.error().message;
  EXPECT_EQ(prompt->head(), (SetHead{false, {}, 3, Mode::cfb1, false}));
  EXPECT_EQ(prompt->groups(), 2u);
  EXPECT_EQ(prompt->functional_tests(), 1u);
  EXPECT_EQ(prompt->monte_carlo_tests(), 1u);
  Keeper keeper;
  ASSERT_TRUE(prompt->run(*source, keeper));
  ASSERT_EQ(keeper.tests.size(), 2u);
  EXPECT_EQ(keeper.groups[0], (GroupHead{2, false, Direction::encrypt, KeySize::bits128}));
  EXPECT_EQ(keeper.tests[1].c.monte_carlo_steps, 1000u);
  EXPECT_EQ(keeper.tests[1].c.input, Bytes{0x80});
  // What can only be seen the second time is refused all the same, and before anything is answered.
  EXPECT_EQ(refused(replaced(late, R"("pt": "80")", R"("pt": "8000")")),
            "/testGroups/0/tests/0/pt: 2 bytes, but payloadLen is 1 bit");
}

TEST(AcvpPrompt, Cfb1CountsBitsFromTheMostSignificant) {
  const std::string text = cfb1_test(R"("pt": "FFFF", "payloadLen": 9)");
  const auto source = Source::from(text, "p.json");
  const auto prompt = Prompt::check(*source);
  ASSERT_TRUE(prompt) << prompt.error().message;
  Keeper keeper;
  ASSERT_TRUE(prompt->run(*source, keeper));
  EXPECT_EQ(keeper.tests[0].c.length, 9u);
  EXPECT_EQ(keeper.tests[0].c.input, (Bytes{0xff, 0x80}));
  EXPECT_EQ(refused(cfb1_test(R"("pt": "FF")")), "/testGroups/0/tests/0/payloadLen: the member is missing");
  EXPECT_EQ(refused(cfb1_test(R"("pt": "FF", "payloadLen": 9)")),
            "/testGroups/0/tests/0/pt: 1 byte, but payloadLen is 9 bits");
  EXPECT_EQ(refused(cfb1_test(R"("pt": "FFFF", "payloadLen": 8)")),
            "/testGroups/0/tests/0/pt: 2 bytes, but payloadLen is 8 bits");
  EXPECT_EQ(refused(cfb1_test(R"("pt": "FF", "payloadLen": 18446744073709551615)")),
            "/testGroups/0/tests/0/pt: 1 byte, but payloadLen is 18446744073709551615 bits");
}

TEST(AcvpPrompt, RefusesValues) {
  const std::string first = "/1/testGroups/0/tests/0";
  EXPECT_EQ(refused("2B7E1516", "B7E1516"), first + "/key: 31 hexadecimal digits, an odd number");
  EXPECT_EQ(refused("2B7E1516", "2B7E15"), first + "/key: 120 bits, but the group's keyLen is 128");
  EXPECT_EQ(refused("2B7E1516", "GB7E1516"), first + "/key: column 1 of the value is no hexadecimal digit");
  EXPECT_EQ(refused("000102", "00"), first + "/iv: 14 bytes; an IV has 16");
  EXPECT_EQ(refused("6BC1BEE2", "BEE2"), first + "/pt: 30 bytes; CBC takes multiples of 16");
  EXPECT_EQ(refused(R"("tcId": 1,)", R"("tcId": 1, "payloadLen": 128,)"),
            first + "/pt: 256 bits, but payloadLen is 128");
  EXPECT_EQ(refused(R"("tcId": 1)", R"("tcId": "1")"), first + "/tcId: a number is needed, not a string");
  EXPECT_EQ(refused(R"("tcId": 1)", R"("tcId": -1)"),
            first + "/tcId: a number is needed, not a number that is no whole one of 64 bits");
  EXPECT_EQ(refused(R"("tcId": 1)", R"("tcId": 18446744073709551616)"),
            first + "/tcId: a number is needed, not a number that is no whole one of 64 bits");
  EXPECT_EQ(refused(R"("tcId": 9)", R"("tcId": 1)"), "/1/testGroups/1/tests/0/tcId: 1 is there twice");
  EXPECT_EQ(refused(R"("tgId": 4)", R"("tgId": 1)"), "/1/testGroups/1/tgId: 1 is there twice");
  EXPECT_EQ(refused("\"key\": \"2B7E151628AED2A6ABF7158809CF4F3C\"", "\"key\": null"),
            first + "/key: a string is needed, not null");
  EXPECT_EQ(refused("\"key\": \"2B7E151628AED2A6ABF7158809CF4F3C\"", "\"key\": [\"00\"]"),
            first + "/key: a string is needed, not an array");
  EXPECT_EQ(refused(R"("keyLen": 128)", R"("keyLen": 129)"),
            "/1/testGroups/0/keyLen: unknown key size 129; known: 128, 192, 256");
  EXPECT_EQ(refused(R"("AFT")", R"("CTR")"), "/1/testGroups/0/testType: unknown test type \"CTR\"; known: AFT, MCT");
  EXPECT_EQ(refused("encrypt", "Encrypt"),
            "/1/testGroups/0/direction: unknown direction \"Encrypt\"; known: encrypt, decrypt");
  EXPECT_EQ(refused("ACVP-AES-CBC", "ACVP-AES-GCM"),
            "/1/algorithm: unknown algorithm \"ACVP-AES-GCM\"; known: ACVP-AES-ECB, ACVP-AES-CBC, ACVP-AES-CFB1, "
            "ACVP-AES-CFB8, ACVP-AES-CFB128, ACVP-AES-OFB");
  EXPECT_EQ(refused(R"("revision": "1.0")", R"("revision": "2.0")"),
            "/1/revision: unknown revision \"2.0\"; known: 1.0");
  EXPECT_EQ(refused("true", "1"), "/1/isSample: true or false is needed, not a number");
  EXPECT_EQ(refused(R"("pt": )", R"("ct": "00", "pt": )"),
            first + "/ct: the group's direction is encrypt, so this would be the answer; is this a prompt?");
}

TEST(AcvpPrompt, RefusesWhatIsMissing) {
  for (const char* member : {"vsId", "algorithm", "revision", "testGroups"})
    EXPECT_EQ(refused(fmt::format("\"{}\"", member), "\"other\""), fmt::format("/1/{}: the member is missing", member));
  for (const char* member : {"tgId", "testType", "direction", "keyLen", "tests"})
    EXPECT_EQ(refused(fmt::format("\"{}\"", member), "\"other\""),
              fmt::format("/1/testGroups/0/{}: the member is missing", member));
  for (const char* member : {"tcId", "key", "iv", "pt"})
    EXPECT_EQ(refused(fmt::format("\"{}\"", member), "\"other\""),
              fmt::format("/1/testGroups/0/tests/0/{}: the member is missing", member));
  EXPECT_EQ(refused("acvVersion", "version"), "/0/acvVersion: the member is missing");
  EXPECT_EQ(refused(vector_set("ACVP-AES-ECB", cfb1_group, "")), "/testGroups/0/tests: there is no test in it");
  EXPECT_EQ(refused(R"({"vsId": 1, "algorithm": "ACVP-AES-ECB", "revision": "1.0", "testGroups": []})"),
            "/testGroups: there is no group in it");
}

TEST(AcvpPrompt, RefusesShapes) {
  EXPECT_EQ(refused(""), "the file is empty");
  EXPECT_THAT(refused(" \n"), StartsWith("malformed JSON: line 2, column 1: "));
  EXPECT_EQ(refused("7"), "an object, the vector set, is needed, not a number");
  EXPECT_EQ(refused("[]"), "an array here is [{\"acvVersion\"}, {the vector set}]");
  EXPECT_EQ(refused(R"([{"acvVersion": "1.0"}])"), "an array here is [{\"acvVersion\"}, {the vector set}]");
  EXPECT_EQ(refused(R"([{"acvVersion": "1.0"}, 7])"), "/1: an object is needed, not a number");
  EXPECT_EQ(refused(replaced(cbc_prompt, "}]}]}]", "}]}]}, {}]")),
            "/2: an array here is [{\"acvVersion\"}, {the vector set}]");
  EXPECT_EQ(refused(R"({"testGroups": {}})"), "/testGroups: an array is needed, not an object");
  EXPECT_EQ(refused(R"({"testGroups": "none"})"), "/testGroups: an array is needed, not a string");
  EXPECT_EQ(refused(R"({"testGroups": [[]]})"), "/testGroups/0: an object is needed, not an array");
  EXPECT_EQ(refused(R"({"testGroups": [{}, 3]})"), "/testGroups/0/tgId: the member is missing");
  EXPECT_EQ(refused(R"({"vsId": 1, "vsId": 1})"), "/vsId: the member is there twice");
  EXPECT_EQ(refused(vector_set("ACVP-AES-ECB", cfb1_group, R"({"tcId": 1, "resultsArray": []})")),
            "/testGroups/0/tests/0/resultsArray: results are in a response; is this a prompt?");
}

TEST(AcvpPrompt, RefusesWhatIsNoJson) {
  const std::string whole = cbc_prompt;
  for (std::size_t size = 1; size < whole.size(); ++size) EXPECT_NE(refused(whole.substr(0, size)), "") << size;
  EXPECT_THAT(refused("acvVersion\"", "acvVersion"), HasSubstr("malformed JSON: line 1"));
  EXPECT_THAT(refused("6BC1BEE2", "6BC1\xff"), HasSubstr("/1/testGroups/0/tests/0/pt: malformed JSON: line 6"));
  EXPECT_THAT(refused("6BC1BEE2", "6BC1\xff"), HasSubstr("UTF-8"));
  EXPECT_THAT(refused(R"("tcId": 1)", R"("tcId": 1e999)"), HasSubstr("/1/testGroups/0/tests/0/tcId: "));
  EXPECT_NE(refused(whole + "{}"), "");
  EXPECT_NE(refused(R"("tcId": 1)", R"("tcId": 01)"), "");
}

TEST(AcvpPrompt, BoundsWhatItHolds) {
  const std::string deep = replaced(cbc_prompt, R"("vsId": 12)", R"("vsId": 12, "x": )" + std::string(100'000, '['));
  EXPECT_EQ(refused(deep), "/1/x: nested more than 64 deep");
  std::string many;
  for (int i = 0; i < 70; ++i) many += fmt::format("\"m{}\": 0, ", i);
  EXPECT_EQ(refused(R"("tcId": 1)", many + R"("tcId": 1)"), "/1/testGroups/0/tests/0: more than 64 members");
  const std::string endless(Source::max_token + 1, '0');
  EXPECT_THAT(refused("2B7E1516", endless), HasSubstr("/key: a string or number of more than 16 MiB"));
  EXPECT_THAT(refused(R"("tcId": 1)", R"("tcId": 1)" + endless), HasSubstr("a string or number of more than 16 MiB"));
}

TEST(AcvpPrompt, NamesWhatItDoesNotLookAt) {
  const auto prompt =
      check(replaced(replaced(cbc_prompt, R"("tcId": 1)", R"("tcId": 1, "comment": {"a": [1, {"b": 2}]})"),
                     R"("tgId": 1)", R"("tgId": 1, "url": "x")"));
  ASSERT_TRUE(prompt) << prompt.error().message;
  EXPECT_THAT(prompt->unread().notes("p.json"),
              testing::ElementsAre("p.json: member \"url\" of a test group was not looked at, 1 time",
                                   "p.json: member \"comment\" of a test was not looked at, 1 time"));
}

}  // namespace
}  // namespace aesgate::acvp
