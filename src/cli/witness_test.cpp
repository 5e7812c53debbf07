#include <map>
#include <regex>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"
#include "witness/single_step.h"

namespace aesgate {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class WitnessCommand : public ProgramTest {
 protected:
  static bool steps() { return witness::why_no_single_steps().empty(); }

  Ran witness(std::vector<std::string> arguments, const std::vector<std::string>& variables = {}) {
    arguments.insert(arguments.begin(), "witness");
    return run(std::move(arguments), variables);
  }

  /// The verdicts by backend.
  static std::map<std::string, std::string> verdicts(const Ran& ran) {
    std::map<std::string, std::string> all;
    const auto json = nlohmann::json::parse(ran.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << ran.out << ran.err;
    if (json.is_discarded()) return all;
    for (const auto& backend : json["backends"]) all[backend["name"]] = backend["verdict"];
    return all;
  }

  const std::string faults = AESGATE_PLUGINS "/libaesgate_faults.so";
};

TEST_F(WitnessCommand, ProvesWhatIsBuiltIn) {
  if (!steps()) GTEST_SKIP() << witness::why_no_single_steps();
  const Ran ran = witness({"ttable", "--mode", "CBC", "--require-proof", "--json", "-"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(verdicts(ran), (std::map<std::string, std::string>{{"ttable", "PROVEN"}}));
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["command"], "witness");
  EXPECT_EQ(json["backends"][0]["shapes"].size(), 6);
  EXPECT_EQ(json["backends"][0]["shapes"][0]["aes_instructions"], 0);
  EXPECT_GT(json["backends"][0]["shapes"][0]["instructions"], 100);
}

TEST_F(WitnessCommand, RefutesWhatSaysOneThingAndDoesAnother) {
  if (!steps()) GTEST_SKIP() << witness::why_no_single_steps();
  for (const char* const fault : {"fault-claims-vaes", "fault-claims-kernel"}) {
    const Ran ran = witness(
        {"--plugin", faults, "--backend", fault, "--mode", "ECB", "--key-bits", "128", "--direction", "encrypt"});
    EXPECT_EQ(ran.status, 1) << fault << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("REFUTED: ECB encrypt 128: says "));
  }
  const Ran clean = witness({"--plugin", faults, "--backend", "clean-plain", "--mode", "ECB,OFB", "--require-proof"});
  EXPECT_EQ(clean.status, 0) << clean.out << clean.err;
}

TEST_F(WitnessCommand, RefutesWhatIsTrueOfSomeCallsOnly) {
  if (!steps()) GTEST_SKIP() << witness::why_no_single_steps();
  for (const auto& [fault, kind] : {std::pair{"fault-claims-aesni-only-short", "256 blocks \\(long\\)"},
                                    std::pair{"fault-claims-aesni-first-call", "second of its message"},
                                    std::pair{"fault-claims-aesni-not-in-place", "in place"},
                                    std::pair{"fault-claims-aesni-only-aligned", "misaligned"}}) {
    const Ran ran = witness(
        {"--plugin", faults, "--backend", fault, "--mode", "ECB", "--key-bits", "128", "--direction", "encrypt"});
    if (ran.status == 3) GTEST_SKIP() << "this CPU has no AES-NI";
    EXPECT_EQ(ran.status, 1) << fault << ran.out << ran.err;
    std::string flat = ran.out;
    flat = std::regex_replace(flat, std::regex("\\s+"), " ");
    EXPECT_THAT(flat, ContainsRegex(std::string("REFUTED: ECB encrypt 128: says aes.xmm, but in a call of .*") + kind));
  }
}

TEST_F(WitnessCommand, ABackendThatEndsOrHangsEndsNothingElse) {
  if (!steps()) GTEST_SKIP() << witness::why_no_single_steps();
  for (const auto& [plugin, how] :
       {std::pair{"kill_in_update", "its process ended by SIGKILL"}, std::pair{"exit_in_update", "it called exit"},
        std::pair{"endless_loop", "no end in 1 s"}}) {
    const Ran ran = witness({"--plugin", std::string(AESGATE_PLUGINS "/") + plugin + ".so", "--time-limit", "1",
                             "--mode", "ECB", "--key-bits", "128", "--direction", "encrypt", "--require-proof"});
    EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
    EXPECT_THAT(ran.out, ContainsRegex(std::string("UNKNOWN: ECB encrypt 128: .*") + how));
  }
}

TEST_F(WitnessCommand, AnEmulatedUnitIsCounted) {
  if (!steps()) GTEST_SKIP() << witness::why_no_single_steps();
  const Ran ran = witness({"padlock", "--emulate", "padlock", "--mode", "CBC,CFB8", "--key-bits", "192"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("padlock \\(emulated\\) +xcrypt +PROVEN"));
}

TEST_F(WitnessCommand, WhatIsMissingIsNoProof) {
  const Ran named = witness({"padlock", "--require-proof"});
  EXPECT_EQ(named.status, 3);
  EXPECT_THAT(named.out, HasSubstr("padlock: unavailable: "));
  EXPECT_THAT(named.out, HasSubstr("NOTHING WITNESSED"));
}

TEST_F(WitnessCommand, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(witness({"nothing-like-it"}).status, 2);
  const Ran direction = witness({"ttable", "--direction", "sideways"});
  EXPECT_EQ(direction.status, 2);
  EXPECT_THAT(direction.err, HasSubstr("sideways"));
  EXPECT_EQ(witness({"ttable", "--json", "/no/such/folder/file"}).status, 2);
}

TEST_F(WitnessCommand, OneDirectionIsHalfOfTheShapes) {
  if (!steps()) GTEST_SKIP() << witness::why_no_single_steps();
  const Ran ran = witness({"ttable", "--direction", "decrypt", "--mode", "ECB", "--json", "-"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["backends"][0]["shapes"].size(), 3);
}

TEST_F(WitnessCommand, VerifyFailsByARefutedClaim) {
  if (!steps()) GTEST_SKIP() << witness::why_no_single_steps();
  const Ran ran = run({"verify", "--plugin", faults, "--backend", "fault-claims-aesni", "--effort", "quick", "--mode",
                       "ECB", "--key-bits", "128", "--json", "report.json", "--junit", "report.xml"});
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("fault-claims-aesni +aes.xmm +REFUTED"));
  EXPECT_THAT(ran.out,
              HasSubstr("FAIL: claims refuted: fault-claims-aesni (ECB encrypt 128: says aes.xmm, but none of"));
  EXPECT_EQ(nlohmann::json::parse(read("report.json"))["backends"][0]["evidence"]["verdict"], "REFUTED");
  EXPECT_THAT(read("report.xml"), HasSubstr("<failure message=\"REFUTED: ECB encrypt 128: says aes.xmm"));
}

TEST_F(WitnessCommand, VerifyCanRequireProof) {
  const std::vector<std::string> arguments{"verify",   "--plugin", faults,   "--backend", "clean-own-unit",
                                           "--effort", "quick",    "--mode", "ECB",       "--key-bits",
                                           "128"};
  const Ran plain = run(arguments);
  EXPECT_EQ(plain.status, 0) << plain.out << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("UNKNOWN: "));
  auto required = arguments;
  required.emplace_back("--require-proof");
  const Ran ran = run(required);
  EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("NOT PROVEN: what ran is not proven: clean-own-unit (UNKNOWN: "));
}

}  // namespace
}  // namespace aesgate
