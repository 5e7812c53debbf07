// A launch of real plugins, in this process. What it finds of their speed depends on the machine and is not judged.

#include "perf/gate_launch.h"

#include <gmock/gmock.h>

#include "core/plugin.h"

namespace aesgate {
namespace {

const std::string example = std::string(AESGATE_PLUGINS) + "/libexample_plugin.so";

TEST(PluginCopy, IsAPluginOfItsOwn) {
  const auto first = load_plugin_copy(example);
  const auto second = load_plugin_copy(example);
  const auto itself = load_plugin(example);
  const auto again = load_plugin(example);
  ASSERT_TRUE(first && second && itself && again) << first.error().message;
  EXPECT_STREQ(first->at(0)->name, "example");
  EXPECT_NE(first->at(0), second->at(0));
  EXPECT_NE(first->at(0), itself->at(0));
  EXPECT_EQ(itself->at(0), again->at(0)) << "a file that is loaded twice is one";
}

TEST(PluginCopy, ErrorsNameTheFileAndNotTheCopy) {
  EXPECT_EQ(load_plugin_copy("/nowhere.so").error().message, "/nowhere.so: no such file");
  const std::string none = std::string(AESGATE_PLUGINS) + "/no_plugin.so";
  EXPECT_EQ(load_plugin_copy(none).error().message,
            none + ": exports no aesgate_backends(); aesgate_backend.h says what a plugin is");
}

LaunchRequest request_of_one_block() {
  LaunchRequest request{example, example, "example", "example", 1, 20, 0.01, {}};
  const Workload workload{{Mode::cbc, Direction::encrypt, KeySize::bits128}, 16, false};
  request.cells = {{workload}, {workload, LaunchCell::With::own_copy}, {workload, LaunchCell::With::own_copy, 0.02}};
  return request;
}

TEST(Launch, MeasuresEachCell) {
  const auto launched = launch_here(request_of_one_block());
  ASSERT_TRUE(launched) << launched.error().message;
  ASSERT_EQ(launched->cells.size(), 3u);
  for (const LaunchedCell& cell : launched->cells) {
    EXPECT_EQ(cell.verdict, Verdict::agree) << cell.reason;
    EXPECT_GE(cell.summary.taken, least_pairs);
    EXPECT_GE(cell.summary.taken, cell.summary.used);
  }
  EXPECT_FALSE(launched->clock.empty());
}

TEST(Launch, SeesThatTheOutputsAreNoLongerTheSame) {
  LaunchRequest request = request_of_one_block();
  request.candidate = std::string(AESGATE_PLUGINS) + "/wrong_last_round.so";
  request.candidate_backend = "faulty";
  const auto launched = launch_here(request);
  ASSERT_TRUE(launched) << launched.error().message;
  EXPECT_TRUE(std::ranges::any_of(launched->cells, [](const LaunchedCell& cell) {
    return cell.verdict == Verdict::mismatch &&
           cell.reason.find("CBC encrypt 128, 16 bytes: after the timing") != std::string::npos;
  }));
}

TEST(Launch, OfABackendThatIsNotThereIsAnError) {
  LaunchRequest request = request_of_one_block();
  request.candidate_backend = "aesni";
  const auto launched = launch_here(request);
  ASSERT_FALSE(launched);
  EXPECT_THAT(launched.error().message, testing::HasSubstr("libexample_plugin.so: "));
}

}  // namespace
}  // namespace aesgate
