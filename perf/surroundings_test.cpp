#include "perf/surroundings.h"

#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

namespace aesgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SurroundingsTest : public testing::Test {
 protected:
  ~SurroundingsTest() override { std::filesystem::remove_all(root_); }
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("aesgate-surroundings-" + std::to_string(getpid()));
};

TEST_F(SurroundingsTest, OfASystemThatSaysNothing) {
  const Surroundings none = read_surroundings(0, root_);
  EXPECT_EQ(to_text(none),
            "governor not known here, turbo not known here, SMT not known here, load not known here, "
            "steal not known here");
  EXPECT_TRUE(what_bends(none).empty());
  EXPECT_FALSE(read_cpu_times(root_));
  EXPECT_FALSE(stolen({}, {}));
}

TEST_F(SurroundingsTest, SaysWhatBendsFigures) {
  write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  write("sys/devices/system/cpu/smt/active", "1\n");
  write("sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "3,7\n");
  write("proc/loadavg", "2.50 1.00 0.50 3/200 12345\n");
  Surroundings all = read_surroundings(3, root_);
  all.steal = 0.05;
  EXPECT_EQ(to_text(all), "governor powersave, turbo on, SMT on, load 2.50, steal 5.0%");
  EXPECT_THAT(what_bends(all), ElementsAre(HasSubstr("\"powersave\""), HasSubstr("turbo is on"), HasSubstr("CPUs 3,7"),
                                           HasSubstr("2.50 processes"), HasSubstr("5.0%")));
}

TEST_F(SurroundingsTest, AQuietMachineBendsNothing) {
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  write("sys/devices/system/cpu/smt/active", "0\n");
  write("proc/loadavg", "0.10 0.00 0.00 1/100 1\n");
  Surroundings quiet = read_surroundings(0, root_);
  quiet.steal = 0;
  EXPECT_EQ(to_text(quiet), "governor performance, turbo off, SMT off, load 0.10, steal 0.0%");
  EXPECT_TRUE(what_bends(quiet).empty());
}

TEST_F(SurroundingsTest, StealIsAPartOfAllTimeBetweenTwoReadings) {
  write("proc/stat", "cpu  100 0 50 800 10 0 0 40 7 0\ncpu0 1 2 3\n");
  const auto before = read_cpu_times(root_);
  ASSERT_TRUE(before);
  EXPECT_DOUBLE_EQ(before->all, 1000);
  write("proc/stat", "cpu  150 0 50 825 10 0 0 65 9 0\n");
  EXPECT_DOUBLE_EQ(stolen(before, read_cpu_times(root_)).value(), 0.25);
  EXPECT_FALSE(stolen(before, before));
  write("proc/stat", "cpu  150 0\n");
  EXPECT_FALSE(read_cpu_times(root_));
}

}  // namespace
}  // namespace aesgate
