#include <cstdlib>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"
#include "witness/single_step.h"

namespace aesgate {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool has_sanitizers = true;
#elif defined(__has_feature)
constexpr bool has_sanitizers = __has_feature(address_sanitizer);
#else
constexpr bool has_sanitizers = false;
#endif

class ConstantTime : public ProgramTest {
 protected:
  void SetUp() override {
    if (has_sanitizers) GTEST_SKIP() << "sanitizers' own code is seen, too";
  }

  /// The verdicts by backend.
  static std::map<std::string, std::string> verdicts(const nlohmann::json& report) {
    std::map<std::string, std::string> all;
    for (const auto& backend : report["backends"]) all[backend["name"]] = backend["verdict"];
    return all;
  }

  static nlohmann::json parse(const Ran& ran) {
    auto json = nlohmann::json::parse(ran.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << ran.out << ran.err;
    return json.is_discarded() ? nlohmann::json{{"backends", nlohmann::json::array()}} : json;
  }

  /// Without single steps, what is asked of traces cannot be seen.
  static void skip_without_steps() {
    if (const std::string why = witness::why_no_single_steps(); !why.empty()) GTEST_SKIP() << why;
  }

  Ran check(std::vector<std::string> arguments, const std::vector<std::string>& variables = {}) {
    arguments.insert(arguments.begin(), {"verify", "--constant-time", "--effort", "quick"});
    return run(std::move(arguments), variables);
  }

  const std::string plugin = AESGATE_PLUGINS "/leaky_plugin.so";
};

/// With each method, what is done by tables leaks, at a line, and what is done without does not.
class ConstantTimeBy : public ConstantTime, public testing::WithParamInterface<const char*> {};

TEST_P(ConstantTimeBy, TablesLeakAtALineAndCircuitsDoNot) {
  const Ran ran = check({"--method", GetParam(), "--mode", "OFB", "--key-bits", "128", "--backend", "sbox", "--backend",
                         "ttable", "--backend", "bitslice:form=portable", "--json", "-"});
  if (ran.status == 3 && ran.out.find("--method") != std::string::npos) GTEST_SKIP() << ran.out;
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto report = parse(ran);
  const std::map<std::string, std::string> expected{
      {"sbox", "leaks"}, {"ttable", "leaks"}, {"bitslice-portable", "constant-time"}};
  EXPECT_EQ(verdicts(report), expected) << ran.err;
  for (const auto& backend : report["backends"]) {
    EXPECT_EQ(backend["method"], GetParam());
    EXPECT_EQ(backend["leaks"].empty(), backend["verdict"] == "constant-time");
    for (const auto& leak : backend["leaks"]) {
      EXPECT_GT(leak["line"], 0) << leak;
      EXPECT_NE(leak["file"], "") << leak;
    }
  }
  EXPECT_EQ(report["controls"].size(), 2u);
}

TEST_P(ConstantTimeBy, EveryCallIsLookedAt) {
  const Ran ran = check({"--method", GetParam(), "--plugin", plugin, "--json", "-"});
  if (ran.status == 3 && ran.out.find("--method") != std::string::npos) GTEST_SKIP() << ran.out;
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::map<std::string, std::string> expected{
      {"leak_nowhere", "constant-time"},   {"leak_in_start", "leaks"},   {"leak_in_update", "leaks"},
      {"leak_in_chaining_value", "leaks"}, {"leak_in_restart", "leaks"}, {"leak_in_finish", "leaks"},
      {"leak_by_branch", "leaks"}};
  EXPECT_EQ(verdicts(parse(ran)), expected) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(Method, ConstantTimeBy, testing::Values("valgrind", "trace"),
                         [](const auto& method) { return std::string(method.param); });

TEST_F(ConstantTime, APluginIsJudgedWhereThatIsAskedFor) {
  if (skip_without_steps(); IsSkipped()) return;
  const Ran ran = check({"--method", "trace", "--plugin", plugin, "--backend", "leak_in_start", "--backend",
                         "leak_nowhere", "--require-constant-time", "leak_in_start,leak_nowhere"});
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("FAIL: leak_in_start leaks at [a-z_]+ \\(leaky_plugin"));
  EXPECT_THAT(ran.out, Not(HasSubstr("leak_nowhere leaks")));
}

TEST_F(ConstantTime, WithoutValgrindItTraces) {
  if (skip_without_steps(); IsSkipped()) return;
  // Nothing is found on such a PATH; addr2line neither, so that places are named by their objects.
  const std::vector<std::string> nothing{"PATH=/nonexistent"};
  const std::vector<std::string> what{"--mode", "OFB", "--key-bits", "128", "--backend", "ttable"};
  const Ran any = check(what, nothing);
  EXPECT_EQ(any.status, 0) << any.err;
  EXPECT_THAT(any.out, HasSubstr("note: not by valgrind: there is no program valgrind"));
  EXPECT_THAT(any.out, ContainsRegex("ttable leaks at .*aesgate\\+0x"));
  std::vector<std::string> asked = what;
  asked.insert(asked.end(), {"--method", "valgrind"});
  const Ran none = check(asked, nothing);
  EXPECT_EQ(none.status, 3) << none.out;
  EXPECT_THAT(none.out, ContainsRegex("NOT PROVEN: --method valgrind: there is no program valgrind"));
}

TEST_F(ConstantTime, RefusesWhatItDoesNotKnow) {
  const auto refused = [&](std::vector<std::string> arguments, const char* words) {
    const Ran ran = check(std::move(arguments));
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_THAT(ran.err, HasSubstr(words));
  };
  refused({"--method", "guess"}, "--method: \"guess\" is unknown; known: auto, valgrind, trace");
  refused({"--backend", "sbox", "--require-constant-time", "openssl"}, "not among the backends of this run");
  refused({"--junit", "x.xml"}, "--junit: --constant-time has no such report");
  refused({"--backend", "nosuch"}, "nosuch");
}

TEST_F(ConstantTime, WhatCannotRunHereIsUnavailable) {
  if (skip_without_steps(); IsSkipped()) return;
  const std::vector<std::string> what{"--method", "trace",      "--mode", "OFB",       "--key-bits",
                                      "128",      "--cpu-mask", "aes",    "--backend", "aesni"};
  std::vector<std::string> arguments = what;
  arguments.insert(arguments.end(), {"--backend", "sbox"});
  const Ran ran = check(arguments);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("aesni is unavailable: "));
  arguments = what;
  arguments.insert(arguments.end(), {"--require", "aesni"});
  const Ran required = check(arguments);
  EXPECT_EQ(required.status, 3) << required.err;
  EXPECT_THAT(required.out, HasSubstr("NOT PROVEN: aesni (unavailable"));
}

}  // namespace
}  // namespace aesgate
