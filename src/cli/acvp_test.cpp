// aesgate acvp, from the command line to the exit status. kat/ has the tests of what is read, answered and compared.

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"

namespace aesgate {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// FIPS-197 appendix C.1 both ways, and the first segment of SP 800-38A F.3.1 in CFB1.
constexpr const char* ecb_prompt = R"({"vsId": 5, "algorithm": "ACVP-AES-ECB", "revision": "1.0", "testGroups": [
  {"tgId": 1, "testType": "AFT", "direction": "encrypt", "keyLen": 128, "tests": [
    {"tcId": 1, "key": "000102030405060708090A0B0C0D0E0F", "pt": "00112233445566778899AABBCCDDEEFF"}]},
  {"tgId": 2, "testType": "AFT", "direction": "decrypt", "keyLen": 128, "tests": [
    {"tcId": 2, "key": "000102030405060708090A0B0C0D0E0F", "ct": "69C4E0D86A7B0430D8CDB78070B4C55A"}]}]})";
constexpr const char* ecb_response = R"({"vsId":5,"algorithm":"ACVP-AES-ECB","revision":"1.0","testGroups":[
{"tgId":1,"tests":[
{"tcId":1,"ct":"69C4E0D86A7B0430D8CDB78070B4C55A"}]},
{"tgId":2,"tests":[
{"tcId":2,"pt":"00112233445566778899AABBCCDDEEFF"}]}]}
)";
constexpr const char* cfb1_prompt = R"({"vsId": 6, "algorithm": "ACVP-AES-CFB1", "revision": "1.0", "testGroups": [
  {"tgId": 1, "testType": "AFT", "direction": "encrypt", "keyLen": 128, "tests": [
    {"tcId": 1, "payloadLen": 16, "key": "2B7E151628AED2A6ABF7158809CF4F3C", "iv": "000102030405060708090A0B0C0D0E0F",
     "pt": "6BC1"}]}]})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string plugin(const std::string& name) { return fmt::format("{}/{}.so", AESGATE_PLUGINS, name); }

class AcvpCommand : public ProgramTest {
 protected:
  AcvpCommand() {
    write("prompt.json", ecb_prompt);
    write("expected.json", ecb_response);
  }
  Ran acvp(std::vector<std::string> arguments, const std::vector<std::string>& variables = {}) {
    arguments.insert(arguments.begin(), {"acvp", "--out", "response.json"});
    return run(std::move(arguments), variables);
  }
};

TEST_F(AcvpCommand, WritesTheResponse) {
  const Ran ran = acvp({"--backend", "ttable", "prompt.json", "--expected", "expected.json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(StartsWith("ACVP-AES-ECB 1.0, vector set 5: 2 functional and 0 Monte Carlo tests in 2 groups\n"
                               "ttable: 2 tests agree with both oracles, 2 with expected.json\n"
                               "PASS: ttable answers all 2 tests; the response is in response.json; "),
                    EndsWith(" s\n")));
  EXPECT_EQ(read("response.json"), ecb_response);
  EXPECT_THAT(files(), ElementsAre("expected.json", "prompt.json", "response.json"));
}

TEST_F(AcvpCommand, Cfb1IsBitsFromTheMostSignificant) {
  write("prompt.json", cfb1_prompt);
  EXPECT_EQ(acvp({"--backend", "sbox", "prompt.json"}).status, 0);
  EXPECT_THAT(read("response.json"), HasSubstr(R"({"tcId":1,"ct":"68B3"})"));  // SP 800-38A, F.3.1
  write("prompt.json", replaced(replaced(cfb1_prompt, "16,", "11,"), "6BC1", "6BDF"));
  EXPECT_EQ(acvp({"--backend", "sbox", "prompt.json"}).status, 0);
  EXPECT_THAT(read("response.json"), Not(HasSubstr("68B3")));
  write("prompt.json", replaced(cfb1_prompt, "16,", "11,"));
  EXPECT_EQ(acvp({"--backend", "sbox", "prompt.json"}).status, 0);
  EXPECT_THAT(read("response.json"), HasSubstr(R"({"tcId":1,"ct":"68A0"})"));
}

TEST_F(AcvpCommand, NamesEachTestThatIsNotAsExpected) {
  write("response.json", "of before");
  write("expected.json", replaced(ecb_response, "69C4E0D8", "69C4E0D9"));
  const Ran ran = acvp({"--backend", "ttable", "prompt.json", "--expected", "expected.json", "--json", "report.json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("FAIL tcId 1: ct: expected 69C4E0D96A7B0430D8CDB78070B4C55A, got "
                                 "69C4E0D86A7B0430D8CDB78070B4C55A (expected.json)\n"));
  EXPECT_THAT(ran.out, HasSubstr("both oracles say what ttable says"));
  EXPECT_THAT(ran.out, HasSubstr("\nFAIL: 1 not as in expected.json; no response was written to response.json; "));
  EXPECT_EQ(read("response.json"), "of before");
  const auto report = nlohmann::json::parse(read("report.json"));
  EXPECT_EQ(report["command"], "acvp");
  EXPECT_EQ(report["vs_id"], 5);
  EXPECT_EQ(report["tests"]["agree"], 2);
  EXPECT_EQ(report["expected"]["different"], 1);
  EXPECT_EQ(report["failures"][0]["tc_id"], 1);
  EXPECT_EQ(report["failures"][0]["against"], "expected");
  EXPECT_EQ(report["response"], nullptr);
  EXPECT_EQ(report["exit_status"], 1);
}

TEST_F(AcvpCommand, AWrongPluginFailsWithACaseThatReplaysIt) {
  const Ran ran = acvp({"--plugin", plugin("null_read"), "prompt.json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("FAIL tcId 1: crashed: "));
  EXPECT_THAT(ran.out, HasSubstr("FAIL tcId 2: crashed: "));
  EXPECT_THAT(ran.out, ContainsRegex("replay: aesgate replay aesgate-cases/[^ ]*.case --plugin "));
  EXPECT_THAT(files(), ElementsAre("aesgate-cases", "expected.json", "prompt.json"));
}

TEST_F(AcvpCommand, ABackendCanBeAPluginAndIsolated) {
  EXPECT_EQ(acvp({"--plugin", plugin("libexample_plugin"), "prompt.json"}).status, 0);
  EXPECT_EQ(read("response.json"), ecb_response);
  EXPECT_EQ(acvp({"--isolate", "--backend", "sbox", "prompt.json"}).status, 0);
  const Ran emulated = acvp({"--emulate", "padlock", "--backend", "padlock", "prompt.json"});
  if (emulated.status != 3) {  // on x86 only
    EXPECT_EQ(emulated.status, 0) << emulated.out;
    EXPECT_THAT(emulated.out, HasSubstr("PASS: padlock (emulated) answers all 2 tests"));
  }
}

TEST_F(AcvpCommand, AnUnavailableBackendIsStatus3) {
  const Ran unavailable = acvp({"--backend", "aesni", "prompt.json"}, {"AESGATE_CPU_MASK=aes"});
  EXPECT_EQ(unavailable.status, 3);
  EXPECT_THAT(unavailable.out, HasSubstr("NOT RUN: aesni is unavailable: aes is hidden by --cpu-mask aes"));
  EXPECT_THAT(files(), ElementsAre("expected.json", "prompt.json"));
}

TEST_F(AcvpCommand, WhatIsUnsupportedIsCountedAndStatus3) {
  const Ran list = run({"list", "--backend", "nettle"});
  if (list.out.find("1 of 1 backends can run") == std::string::npos) GTEST_SKIP() << "nettle is not built";
  write("prompt.json", cfb1_prompt);
  const Ran unsupported = acvp({"--backend", "nettle", "prompt.json", "--json", "-"});
  EXPECT_EQ(unsupported.status, 3);
  EXPECT_THAT(unsupported.err, HasSubstr("INCOMPLETE: 1 of 1 test not run by nettle (unsupported: this backend does "
                                         "not do it); no response was written to response.json"));
  EXPECT_EQ(nlohmann::json::parse(unsupported.out)["tests"]["not_run"], 1);
  EXPECT_THAT(files(), ElementsAre("expected.json", "prompt.json"));
}

TEST_F(AcvpCommand, BadInputIsOneLineAndChangesNothing) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& what) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const std::vector<std::string> before = files();
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, AllOf(StartsWith("aesgate: "), HasSubstr(what)));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_EQ(files(), before);
  };
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"acvp", "--backend", "sbox"});
    return more;
  };
  refused(with({"prompt.json"}), "--out is required");
  refused(with({"none.json"}), "none.json: No such file or directory");
  refused(with({"--out", "r.json"}), "PROMPT.json");
  refused({"acvp", "prompt.json", "--out", "r.json"}, "--backend: a response is by one backend, and this names ");
  refused({"acvp", "--backend", "sbox", "--backend", "ttable", "prompt.json", "--out", "r.json"}, "this names 2");
  refused(with({"prompt.json", "--out", "./prompt.json"}), "--out: ./prompt.json is read by this run");
  refused(with({"prompt.json", "--out", "r.json", "--expected", "expected.json", "--json", "expected.json"}),
          "--json: expected.json is read by this run");
  refused(with({"prompt.json", "--out", "r.json", "--json", "r.json"}), "--json: r.json is the file of --out too");
  refused(with({"prompt.json", "--out", "-"}), "--out: names no file");
  refused(with({"prompt.json", "--out", "."}), "--out: .: is a directory");
  refused(with({"prompt.json", "--out", "nowhere/r.json"}), "--out: nowhere/r.json: No such file or directory");
  refused(with({"none.json", "--out", "r.json"}), "none.json: No such file or directory");
  refused(with({".", "--out", "r.json"}), ".: is a directory");
  refused(with({"/dev/null", "--out", "r.json"}), "/dev/null: is no regular file");
  write("empty.json", "");
  refused(with({"empty.json", "--out", "r.json"}), "empty.json: the file is empty");
  write("bad.json", replaced(ecb_prompt, "000102030405060708090A0B0C0D0E0F", "00102030405060708090A0B0C0D0E0F"));
  refused(with({"bad.json", "--out", "r.json"}),
          "bad.json: /testGroups/0/tests/0/key: 31 hexadecimal digits, an odd number");
  write("bad.json", replaced(ecb_response, "69C4", "\xff"));
  refused(with({"prompt.json", "--out", "r.json", "--expected", "bad.json"}),
          "bad.json: /testGroups/0/tests/0/ct: malformed JSON: line 3, column 17: ");
}

}  // namespace
}  // namespace aesgate
