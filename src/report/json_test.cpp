#include "report/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/example_run_test.h"

namespace aesgate {
namespace {

TEST(Json, CarriesWhatTheConsoleShows) {
  const ExampleRun run;
  const auto json = nlohmann::json::parse(to_json(run.summary, run.record));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["aesgate"], version());
  EXPECT_EQ(json["command"], "verify");
  EXPECT_EQ(json["host"]["features"], nlohmann::json::array({"aes"}));
  EXPECT_EQ(json["seed"], 42);
  EXPECT_EQ(json["exit_status"], 1);
  EXPECT_EQ(json["verdict"], "fail");
  EXPECT_EQ(json["oracles"]["agree"], true);
  ASSERT_EQ(json["backends"].size(), 3u);

  const auto& beta = json["backends"][1];
  EXPECT_EQ(beta["name"], "beta");
  EXPECT_EQ(beta["suites"]["cavp"]["agree"], 1500);
  EXPECT_EQ(beta["suites"]["random"]["mismatch"], 1);
  EXPECT_EQ(beta["suites"]["random"]["unsupported"], 1);
  const auto& cbc = beta["cells"][1];
  EXPECT_EQ(cbc["mode"], "CBC");
  EXPECT_EQ(cbc["agree"], 19);
  EXPECT_EQ(cbc["failures"], 1);
  EXPECT_EQ(cbc["total"], 20);
  EXPECT_EQ(cbc["reasons"]["unsupported"], "this backend does not do it");

  const auto& gamma = json["backends"][2];
  EXPECT_EQ(gamma["available"], false);
  EXPECT_EQ(gamma["reason"], ExampleRun::why_gamma);
  EXPECT_EQ(gamma["suites"]["cavp"]["agree"], 0);

  ASSERT_EQ(json["findings"].size(), 1u);
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding["difference"]["offset"], 17);
  EXPECT_EQ(finding["difference"]["expected"], "3a");
  EXPECT_EQ(finding["difference"]["got"], "3b");
  EXPECT_EQ(finding["case_file"], run.record.findings().front().case_file.string());
}

TEST(Json, StaysUtf8WhateverAPathIs) {
  ExampleRun run;
  run.record.note("a path with \xff in it");
  const auto json = nlohmann::json::parse(to_json(run.summary, run.record));
  EXPECT_EQ(json["notes"][1], "a path with \xef\xbf\xbd in it");
}

}  // namespace
}  // namespace aesgate
