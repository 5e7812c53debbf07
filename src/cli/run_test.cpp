#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"
#include "cli/xml_test.h"

namespace aesgate {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Runs of stages, in one mode and key size so that they are short.
class RunStages : public ProgramTest {
 protected:
  Ran kat(std::vector<std::string> more, const std::vector<std::string>& variables = {}) {
    more.insert(more.begin(), {"kat", "--mode", "ECB", "--key-bits", "128", "--effort", "quick"});
    return run(std::move(more), variables);
  }

  /// A copy of the vectors, in which `from` in `file` is `to`, once.
  void copy_vectors(const std::string& file, const std::string& from, const std::string& to) {
    std::filesystem::copy(AESGATE_SOURCE_VECTORS, folder / "vectors");
    std::string text = read("vectors/" + file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    write("vectors/" + file, text.replace(at, from.size(), to));
  }
};

TEST_F(RunStages, JsonCountsWhatRan) {
  const Ran ran = kat({"--backend", "sbox", "--backend", "ttable", "--json", "report.json", "--junit", "report.xml"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("PASS: [0-9,]+ cases in [0-9]+ backends, all agree"));
  const auto json = nlohmann::json::parse(read("report.json"));
  EXPECT_EQ(json["verdict"], "pass");
  EXPECT_EQ(json["exit_status"], 0);
  // GFSbox 7, KeySbox 21, VarKey 128, VarTxt 128, MMT 10; both directions (AESAVS sections 6.1 to 6.3).
  for (const auto& backend : json["backends"])
    if (backend["kind"] == "software") {
      EXPECT_EQ(backend["suites"]["cavp"]["agree"], 2 * (7 + 21 + 128 + 128 + 10));
    }
  EXPECT_EQ(why_not_well_formed(read("report.xml")), "");
  EXPECT_THAT(read("report.xml"), HasSubstr("name=\"kat.ECB\""));
}

TEST_F(RunStages, ReportsGoToStandardOutputWithADash) {
  const Ran json = kat({"--backend", "sbox", "--json", "-"});
  EXPECT_EQ(json.status, 0);
  EXPECT_EQ(nlohmann::json::parse(json.out)["seed"], 1);
  EXPECT_THAT(json.err, HasSubstr("PASS: "));
  EXPECT_EQ(why_not_well_formed(kat({"--backend", "sbox", "--junit", "-"}).out), "");
}

TEST_F(RunStages, RequiredButUnavailableIsStatus3WithTheReason) {
  const std::vector<std::string> without{"AESGATE_CPU_MASK=aes"};
  const Ran missing =
      kat({"--backend", "sbox", "--backend", "aesni", "--require", "aesni,sbox", "--junit", "report.xml"}, without);
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.out,
              HasSubstr("required, but not checked: aesni (unavailable: aes is hidden by --cpu-mask aes)"));
  EXPECT_THAT(read("report.xml"),
              HasSubstr("<failure message=\"required, but unavailable: aes is hidden by --cpu-mask aes\">"));
  const Ran allowed = kat({"--backend", "sbox", "--backend", "aesni"}, without);
  EXPECT_EQ(allowed.status, 0);
  EXPECT_THAT(allowed.out, ContainsRegex("aesni +- a\n"));
  EXPECT_THAT(allowed.out, HasSubstr("  a  unavailable: aes is hidden by --cpu-mask aes\n"));
  EXPECT_EQ(kat({"--backend", "aesni"}, without).status, 3) << "a run in which nothing ran is no pass";
}

TEST_F(RunStages, WhatIsEmulatedIsSaidInEveryReport) {
  if (run({"list", "--backend", "padlock"}).out.find("unavailable") == std::string::npos)
    GTEST_SKIP() << "this CPU has the unit";
  EXPECT_EQ(kat({"--backend", "padlock"}).status, 3);
  const Ran emulated = kat({"--backend", "padlock", "--emulate", "padlock", "--require", "padlock", "--json",
                            "report.json", "--junit", "report.xml"});
  EXPECT_EQ(emulated.status, 0) << emulated.out << emulated.err;
  EXPECT_THAT(emulated.out, HasSubstr("padlock (emulated)"));
  EXPECT_THAT(emulated.out, HasSubstr("note: padlock: emulated: "));
  EXPECT_THAT(emulated.out, ContainsRegex("PASS: [0-9,]+ cases in 1 backend \\(1 emulated\\), all agree"));
  const auto json = nlohmann::json::parse(read("report.json"));
  EXPECT_EQ(json["backends"][0]["emulated"], true);
  EXPECT_THAT(json["notes"].dump(), HasSubstr("padlock: emulated: "));
  EXPECT_THAT(read("report.xml"), HasSubstr("padlock (emulated)"));
}

TEST_F(RunStages, KernelsInterfacesAreEmulatedWhenAsked) {
  const Ran emulated = kat({"--backend", "af_alg", "--backend", "cryptodev", "--emulate", "af_alg", "--emulate",
                            "cryptodev", "--mode", "CBC", "--json", "report.json"});
  if (emulated.status == 2 && emulated.err.find("no stand-in: ") != std::string::npos) GTEST_SKIP() << emulated.err;
  EXPECT_EQ(emulated.status, 0) << emulated.out << emulated.err;
  EXPECT_THAT(emulated.out, ContainsRegex("PASS: [0-9,]+ cases in 2 backends \\(2 emulated\\), all agree"));
  EXPECT_THAT(emulated.out, HasSubstr("note: af_alg: emulated: "));
  EXPECT_THAT(emulated.out, HasSubstr("cryptodev: ECB by ecb-aes-stand-in"));
  const auto json = nlohmann::json::parse(read("report.json"));
  EXPECT_EQ(json["backends"][0]["emulated"], true);
  EXPECT_EQ(json["backends"][1]["emulated"], true);
  EXPECT_THAT(run({"list", "--backend", "cryptodev"}).out, Not(HasSubstr("emulated")));
}

TEST_F(RunStages, OneWrongDigitInAVectorIsStatus1AndReplaysTheSameWay) {
  copy_vectors("ECBGFSbox128.rsp", "CIPHERTEXT = 0336763e966d92595a567cc9ce537f5e",
               "CIPHERTEXT = 0336763e966d92595a567cc9ce537f5f");
  const Ran ran = kat({"--vectors", "vectors", "--cases", "cases", "--json", "report.json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("ECBGFSbox128.rsp"));
  EXPECT_THAT(ran.out, HasSubstr("expected 5f, got 5e"));
  EXPECT_THAT(ran.out,
              HasSubstr("\nFAIL: both oracles say 5e: the published value is suspect; no backend can be judged"));
  const auto json = nlohmann::json::parse(read("report.json"));
  EXPECT_EQ(json["oracles"]["agree"], false);
  EXPECT_EQ(json["oracles"]["suspect_vectors"].size(), 1u);
  EXPECT_EQ(json["verdict"], "vector suspect");
  ASSERT_FALSE(json["findings"].empty());
  const Ran replay = run({"replay", json["findings"][0]["case_file"]});
  EXPECT_EQ(replay.status, 1);
  EXPECT_THAT(replay.out, HasSubstr("expected 5f, got 5e"));
}

TEST_F(RunStages, FailuresGoToAFolderThatIsMadeWhenNeeded) {
  EXPECT_EQ(kat({"--backend", "sbox"}).status, 0);
  EXPECT_THAT(files(), testing::IsEmpty());
  copy_vectors("ECBGFSbox128.rsp", "CIPHERTEXT = 0336763e", "CIPHERTEXT = 0336763f");
  const Ran ran = kat({"--vectors", "vectors"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("replay: aesgate replay aesgate-cases/oracle-"));
  EXPECT_THAT(files(), testing::ElementsAre("aesgate-cases", "vectors"));
  kat({"--vectors", "vectors"}, {"AESGATE_CASES=mine"});
  EXPECT_THAT(files(), testing::ElementsAre("aesgate-cases", "mine", "vectors"));
}

TEST_F(RunStages, VariablesAreTheDefaultsOfOptions) {
  const std::vector<std::string> arguments{"fuzz",       "--backend", "sbox",   "--mode", "OFB",
                                           "--key-bits", "256",       "--json", "-"};
  const auto report = [&](const std::vector<std::string>& more, const std::vector<std::string>& variables) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all, variables);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return nlohmann::json::parse(ran.out);
  };
  const std::vector<std::string> variables{"AESGATE_SEED=7", "AESGATE_EFFORT=quick", "AESGATE_REQUIRE=sbox, ttable"};
  const auto by_variable = report({}, variables);
  EXPECT_EQ(by_variable["seed"], 7);
  EXPECT_EQ(by_variable["effort"], "quick");
  EXPECT_EQ(by_variable["backends"][0]["required"], true);
  EXPECT_EQ(by_variable["backends"].dump(),
            report({"--seed", "7", "--effort", "quick", "--require", "sbox"}, {})["backends"].dump());
  const auto by_option = report({"--seed", "8"}, variables);
  EXPECT_EQ(by_option["seed"], 8);
  EXPECT_EQ(by_option["effort"], "quick");
  EXPECT_EQ(report({"--effort", "quick"}, {"AESGATE_SEED="})["seed"], 1);
}

TEST_F(RunStages, AVariableRequiresWhatIsUnavailable) {
  const std::vector<std::string> variables{"AESGATE_REQUIRE=sbox aesni", "AESGATE_CPU_MASK=aes"};
  EXPECT_EQ(kat({}, variables).status, 3);
  EXPECT_EQ(kat({"--backend", "aesni"}, variables).status, 3);
  EXPECT_EQ(kat({"--backend", "sbox"}, variables).status, 0) << "--backend leaves aesni out of this run";
  EXPECT_EQ(kat({"--require", "sbox"}, variables).status, 0) << "an option given wins";
}

TEST_F(RunStages, AMalformedVectorFileIsOneLineWithFileAndLine) {
  copy_vectors("ECBGFSbox128.rsp", "CIPHERTEXT = 0336763e", "CIPHERTEXT = 0336763");
  const std::vector<std::string> before = files();
  const Ran ran = kat({"--vectors", "vectors", "--json", "report.json"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, ContainsRegex("^aesgate: .*ECBGFSbox128\\.rsp:[0-9]+: CIPHERTEXT: [^\n]*\n$"));
  EXPECT_EQ(files(), before);
}

TEST_F(RunStages, TheSameSeedMakesTheSameCases) {
  const auto fuzz = [&](const char* seed) {
    const Ran ran = run({"fuzz", "--backend", "ttable", "--mode", "OFB", "--key-bits", "256", "--effort", "quick",
                         "--seed", seed, "--json", "-"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    auto json = nlohmann::json::parse(ran.out);
    return std::pair(json["seed"].get<std::uint64_t>(), json["backends"].dump());
  };
  EXPECT_EQ(fuzz("7"), fuzz("7"));
  EXPECT_NE(fuzz("random").first, fuzz("random").first);
}

TEST_F(RunStages, WithoutATerminalThereIsNoControlCharacter) {
  const Ran ran = kat({"--backend", "sbox"}, {"TERM=xterm"});
  EXPECT_THAT(ran.out + ran.err, Not(ContainsRegex("[\033\r]")));
  EXPECT_THAT(ran.err, ContainsRegex("kat +sbox: [0-9,]+ cases agree\n"));
}

}  // namespace
}  // namespace aesgate
