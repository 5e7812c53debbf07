#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"

namespace aesgate {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class List : public ProgramTest {};

TEST_F(List, NamesEveryBackendWithItsShapes) {
  const Ran ran = run({"list"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, ContainsRegex("sbox +software, unit none: available\n"));
  EXPECT_THAT(ran.out, ContainsRegex("ttable +software, unit none: available\n"));
  EXPECT_THAT(ran.out, ContainsRegex("aesni +instruction, unit aes.xmm: "));
  EXPECT_THAT(ran.out, HasSubstr("ECB CBC CFB1 CFB8 CFB128 OFB: encrypt 128/192/256, decrypt 128/192/256\n"));
}

TEST_F(List, SaysWhyABackendCannotRun) {
  const Ran ran = run({"list", "--backend", "aesni"}, {"AESGATE_CPU_MASK=ssse3,aes"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(
      ran.out,
      ContainsRegex("aesni +instruction, unit aes.xmm: unavailable\n +ssse3 is hidden by --cpu-mask ssse3,aes\n"));
  EXPECT_THAT(ran.out, HasSubstr("0 of 1 backends can run"));
}

TEST_F(List, SaysWhatACpuMaskHidesAndWhatLibrariesWereTold) {
  const Ran ran = run({"list", "--cpu-mask", "aes", "--json", "list.json"}, {"AESGATE_CPU_MASK=ssse3"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("aesni .*: unavailable\n +aes is hidden by --cpu-mask aes\n"));
  EXPECT_THAT(ran.out, HasSubstr("aes is hidden by --cpu-mask aes\n"));
  const auto json = nlohmann::json::parse(read("list.json"));
  EXPECT_EQ(json["host"]["cpu_mask"], "aes");
  EXPECT_THAT(json["host"]["features"], testing::Not(testing::Contains("aes")));
  EXPECT_THAT(json["host"]["features"], testing::Not(testing::Contains("vaes")));
  for (const auto& backend : json["backends"]) {
    const bool is_library = backend["kind"] == "library" || backend["kind"] == "kernel";
    EXPECT_EQ(backend["cpu_mask"] != "", is_library) << backend;
    if (backend["name"] == "openssl") {
      EXPECT_EQ(backend["cpu_mask"], "--cpu-mask aes: told by OPENSSL_ia32cap=~0x200000000000000:~0x60000000000");
    }
    if (backend["name"] == "mbedtls") {
      EXPECT_EQ(backend["cpu_mask"], "--cpu-mask aes: cannot be told: it may use what is hidden");
    }
  }
  const auto plain = run({"list", "--json", "-"});
  for (const auto& backend : nlohmann::json::parse(plain.out)["backends"]) EXPECT_EQ(backend["cpu_mask"], "");
}

// The workers of isolated backends are processes of their own.
TEST_F(List, ACpuMaskReachesIsolatedBackends) {
  const Ran ran = run({"list", "--isolate", "--backend", "aesni", "--cpu-mask", "ssse3"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("unavailable\n +ssse3 is hidden by --cpu-mask ssse3\n"));
}

TEST_F(List, JsonHasTheSame) {
  const Ran ran = run({"list", "--json", "-"}, {"AESGATE_CPU_MASK=aes"});
  EXPECT_EQ(ran.status, 0);
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_GE(json["backends"].size(), 3u);
  for (const auto& backend : json["backends"]) {
    EXPECT_EQ(backend["available"], backend["reason"] == "");
    if (backend["name"] == "sbox") {
      EXPECT_EQ(backend["shapes"].size(), 36u);
    }
    if (backend["name"] == "aesni") {
      EXPECT_EQ(backend["available"], false);
    }
  }
}

TEST_F(List, EveryJsonReportHasTheSameHead) {
  const auto head = [&](const std::vector<std::string>& arguments) {
    const Ran ran = run(arguments, {"AESGATE_EFFORT=quick"});
    auto json = nlohmann::json::parse(ran.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << ran.out << ran.err;
    EXPECT_EQ(json["command"], arguments[0]);
    EXPECT_TRUE(json["host"]["features"].is_array());
    return nlohmann::json{json["schema"], json["aesgate"], json["host"]};
  };
  const auto list = head({"list", "--json", "-"});
  EXPECT_EQ(list[0], 1);
  EXPECT_EQ(list, head({"kat", "--backend", "sbox", "--mode", "ECB", "--json", "-"}));
  EXPECT_EQ(list,
            head({"perf", "--backend", "sbox", "--mode", "ECB", "--bytes", "16", "--seconds", "0.01", "--json", "-"}));
}

TEST_F(List, SaysWhatIsEmulated) {
  const Ran without = run({"list", "--backend", "padlock"});
  EXPECT_THAT(without.out, ContainsRegex("padlock +coprocessor, unit xcrypt: (un)?available\n"));
  if (without.out.find("unavailable") == std::string::npos) GTEST_SKIP() << "this CPU has the unit";
  EXPECT_THAT(without.out, HasSubstr("--emulate padlock"));
  const Ran with = run({"list", "--backend", "padlock", "--emulate", "padlock", "--json", "list.json"});
  EXPECT_EQ(with.status, 0) << with.err;
  EXPECT_THAT(with.out, ContainsRegex("padlock +coprocessor, unit xcrypt: available \\(emulated\\)\n"));
  const auto json = nlohmann::json::parse(read("list.json"));
  EXPECT_EQ(json["backends"][0]["available"], true);
  EXPECT_EQ(json["backends"][0]["emulated"], true);
  // Nothing else turns it on.
  EXPECT_THAT(run({"list", "--backend", "padlock"}, {"AESGATE_EMULATE=padlock"}).out, HasSubstr("unavailable"));
}

TEST_F(List, HelpHasExamplesAndExitStatuses) {
  const Ran ran = run({"--help"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("Examples:"));
  EXPECT_THAT(ran.out, HasSubstr("Exit status:"));
  EXPECT_THAT(run({"verify", "--help"}).out, HasSubstr("--require"));
  for (const std::string command : {"list", "verify", "kat", "props", "fuzz", "replay", "perf"}) {
    const std::string help = run({command, "--help"}).out;
    const std::size_t examples = help.find("Examples:\n  aesgate " + command);
    ASSERT_NE(examples, std::string::npos) << help;
    for (const std::string other : {"list", "verify", "kat", "props", "fuzz", "replay", "perf"})
      if (other != command) {
        EXPECT_EQ(help.find("aesgate " + other + ' ', examples), std::string::npos) << help;
      }
  }
  EXPECT_THAT(run({"--version"}).out, ContainsRegex("^aesgate [0-9]+\\.[0-9]+\\.[0-9]+\n$"));
}

TEST_F(List, AMaskThatWouldReplaceWhatALibraryWasToldIsRefused) {
  const Ran ran = run({"list", "--cpu-mask", "aes"}, {"OPENSSL_ia32cap=~0x1"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "aesgate: --cpu-mask: OPENSSL_ia32cap is \"~0x1\" already and would have to be "
            "~0x200000000000000:~0x60000000000; unset it, or hide features by it alone\n");
  EXPECT_EQ(run({"list"}, {"OPENSSL_ia32cap=~0x1"}).status, 0);
}

TEST_F(List, AnEmptyMaskHidesNothingWhateverTheEnvironmentSays) {
  const Ran ran = run({"list", "--backend", "sbox", "--cpu-mask", ""}, {"AESGATE_CPU_MASK=ssse3"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out.find("hidden"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace aesgate
