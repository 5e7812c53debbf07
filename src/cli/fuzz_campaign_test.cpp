// aesgate fuzz --time, as far as it goes without libFuzzer's programs; fuzz/campaign_test.cpp has the rest.

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/program_test.h"

namespace aesgate {
namespace {

using testing::HasSubstr;

class FuzzCampaign : public ProgramTest {
 protected:
  /// Where the programs would be, and are not.
  const std::vector<std::string> no_programs{"AESGATE_FUZZ_TARGETS=" + folder.string()};

  std::string error_of(std::vector<std::string> arguments, int status = 2) {
    arguments.insert(arguments.begin(), "fuzz");
    const Ran ran = run(std::move(arguments), no_programs);
    EXPECT_EQ(ran.status, status) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    return ran.err;
  }
};

TEST_F(FuzzCampaign, SaysHowItsProgramsAreBuilt) {
  EXPECT_THAT(error_of({"--time", "5"}), HasSubstr("build them with 'cmake --workflow --preset fuzz'"));
  EXPECT_THAT(error_of({"--corpus", "kept"}), HasSubstr(folder.string()));
}

TEST_F(FuzzCampaign, AProgramWithoutLibFuzzerIsNone) {
  write("fuzz_differential",
        "#!/bin/sh\necho 'fuzz_differential: no input; name files, or folders that hold some'\nexit 2\n");
  std::filesystem::permissions(folder / "fuzz_differential", std::filesystem::perms::owner_all);
  EXPECT_THAT(error_of({"--time", "5"}), HasSubstr("build them with"));
  write("fuzz_differential", "#!/bin/sh\necho 'AESGATE_BACKENDS: it is unavailable'\nexit 3\n");
  EXPECT_THAT(error_of({"--time", "5"}, 3), HasSubstr("it is unavailable"));
}

TEST_F(FuzzCampaign, TimesAreOfSeveralUnits) {
  for (const char* time : {"90s", "10m", "1h", "2d", "3600"})
    EXPECT_THAT(error_of({"--time", time}), HasSubstr("build them with")) << time;
  for (const char* time : {"0", "0s", "s", "5x", "-1", "1.5h", "10000h", "18446744073709551616s"})
    EXPECT_THAT(error_of({fmt::format("--time={}", time)}),
                HasSubstr(fmt::format("--time: \"{}\" is no time of at most a year", time)));
}

TEST_F(FuzzCampaign, WhatDoesNothingIsRefused) {
  EXPECT_THAT(error_of({"--time", "5", "--mode", "CBC"}), HasSubstr("--mode does nothing with --time or --corpus"));
  EXPECT_THAT(error_of({"--corpus", "kept", "--isolate"}), HasSubstr("--isolate does nothing"));
  EXPECT_THAT(error_of({"--time", "5", "--backend", "nobody"}), HasSubstr("unknown backend \"nobody\""));
  EXPECT_THAT(error_of({"--time", "5", "--jobs", "0"}), HasSubstr("--jobs: 0"));
  EXPECT_THAT(error_of({"--time", "5", "--plugin", "nowhere.so"}), HasSubstr("nowhere.so: no such file"));
  write("file", "");
  EXPECT_THAT(error_of({"--corpus", "file/kept"}), HasSubstr("--corpus: "));
}

}  // namespace
}  // namespace aesgate
