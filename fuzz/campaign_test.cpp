// A campaign, over a script that stands for libFuzzer's programs: it takes their arguments, prints what they print, and
// does what AESGATE_BACKENDS names.

#include "fuzz/campaign.h"

#include <csignal>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/write_file.h"
#include "fuzz/campaign_run.h"

namespace aesgate {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* script = R"(#!/bin/sh
dirs=
for word; do
  case $word in
    -merge=1) merge=1 ;;
    -artifact_prefix=*) prefix=${word#*=} ;;
    -*) ;;
    *) dirs="$dirs $word" ;;
  esac
done
set -- $dirs
executing() {  # one more execution, of the input BAD, which is going on
  printf '\001' | dd of="$AESGATE_CAMPAIGN/state" bs=1 conv=notrunc 2>/dev/null
  printf '\003\000\000\000\001\000\000\000BAD' | dd of="$AESGATE_CAMPAIGN/state" bs=1 seek=8 conv=notrunc 2>/dev/null
}
ended() {
  printf '\000' | dd of="$AESGATE_CAMPAIGN/state" bs=1 seek=12 conv=notrunc 2>/dev/null
}
find_it() {
  executing
  echo "a reproducer" > "${prefix}mismatch.case"
  printf '%s\n' "mine; ECB encrypt 128; mismatch: output" "mine; ECB encrypt 128; mismatch: output" \
    "mismatch: mine: it is wrong" "${prefix}mismatch.case" > "$AESGATE_CAMPAIGN/finding"
  printf BAD > "${prefix}crash-1"
  exit 77
}
echo $$ >> "$PIDS"
if [ -n "$merge" ]; then
  fresh=$1
  shift
  for dir; do cp "$dir"/* "$fresh" 2>/dev/null; done
  exit 0
fi
echo "INFO: Seed: 1"
echo "#2	INITED cov: 12 ft: 34 corp: 5/6b exec/s: 0 rss: 30Mb"
case $AESGATE_BACKENDS in
  finds) if [ -f "$1" ] || ! grep -q "mismatch: output" "$AESGATE_CAMPAIGN/known"; then find_it; fi ;;
  ends) executing; exit 0 ;;
  once) if [ ! -f "$PIDS.once" ] && [ -d "$1" ]; then touch "$PIDS.once"; executing; exit 9; fi ;;
  cannot) echo "it cannot run"; exit 1 ;;
esac
executing
ended
[ -f "$1" ] && exit 0
echo new > "$1/new"
sleep 100 &
wait
)";

class CampaignTest : public testing::Test {
 protected:
  CampaignTest()
      : folder_(fs::path(testing::TempDir()) /
                fmt::format("aesgate_{}_{}", testing::UnitTest::GetInstance()->current_test_info()->name(), getpid())) {
    fs::create_directories(folder_ / "corpus" / "differential");
    EXPECT_TRUE(write_file(folder_ / "corpus" / "differential" / "seed", "a seed"));
    EXPECT_TRUE(write_file(folder_ / "fuzz_differential", script));
    fs::permissions(folder_ / "fuzz_differential", fs::perms::owner_all);
    options_.programs = {{"differential", folder_ / "fuzz_differential"}};
    options_.backends = "mine";
    options_.corpus = folder_ / "kept";
    options_.cases = folder_ / "cases";
    options_.replay_arguments = " --plugin ./mine.so";
    options_.time = std::chrono::seconds(2);
    options_.jobs = 2;
    options_.say = [](std::string_view) {};
    options_.interrupted = [] { return 0; };
  }
  ~CampaignTest() override {
    for (const std::string& pid : pids()) EXPECT_NE(::kill(std::stoi(pid), 0), 0) << "left running: " << pid;
    fs::remove_all(folder_);
  }

  Result<CampaignSummary> run(const std::string& behaviour) {
    options_.variables = {"AESGATE_BACKENDS=" + behaviour, "PIDS=" + (folder_ / "pids").string()};
    return run_campaign(options_);
  }

  std::vector<std::string> pids() const {
    std::vector<std::string> all;
    std::ifstream file(folder_ / "pids");
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  std::vector<std::string> names_in(const fs::path& folder) const {
    std::vector<std::string> names;
    for (const fs::path& file : files_in(folder)) names.push_back(file.filename().string());
    return names;
  }

  fs::path folder_;
  CampaignOptions options_;
};

TEST_F(CampaignTest, ends_in_time_and_keeps_its_corpus) {
  const auto summary = run("agrees");
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_TRUE(summary->findings.empty());
  EXPECT_GT(summary->executions, 0u);
  EXPECT_EQ(summary->signal, 0);
  ASSERT_EQ(summary->corpora.size(), 1u);
  EXPECT_EQ(summary->corpora[0].cov, 12u);
  EXPECT_EQ(summary->corpora[0].ft, 34u);
  EXPECT_EQ(names_in(options_.corpus / "differential"), (std::vector<std::string>{"new", "seed"}));
  EXPECT_FALSE(fs::exists(options_.corpus / "work"));
  options_.time = std::chrono::seconds(1);
  fs::remove(folder_ / "corpus" / "differential" / "seed");
  const auto again = run("agrees");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->corpora[0].before, 2u);
  EXPECT_EQ(again->corpora[0].after, 2u);
}

TEST_F(CampaignTest, what_two_jobs_find_is_one_finding) {
  const auto summary = run("finds");
  ASSERT_TRUE(summary) << summary.error().message;
  ASSERT_EQ(summary->findings.size(), 1u);
  const CampaignFinding& finding = summary->findings[0];
  EXPECT_EQ(finding.key, "mine; ECB encrypt 128; mismatch: output");
  EXPECT_EQ(finding.line, "mismatch: mine: it is wrong");
  EXPECT_EQ(content_of(finding.file), "a reproducer\n");
  EXPECT_EQ(finding.replay, fmt::format("aesgate replay {} --plugin ./mine.so", finding.file.string()));
  EXPECT_EQ(names_in(options_.cases).size(), 1u);
  EXPECT_EQ(summary->unrepeated, 0u);
}

TEST_F(CampaignTest, a_process_that_a_backend_ended_is_a_finding_whatever_its_status) {
  const auto summary = run("ends");
  ASSERT_TRUE(summary) << summary.error().message;
  ASSERT_EQ(summary->findings.size(), 1u);
  EXPECT_THAT(summary->findings[0].key, HasSubstr("process ended: exit status 0"));
  EXPECT_THAT(summary->findings[0].replay, HasSubstr("AESGATE_BACKENDS=ends"));
  EXPECT_THAT(names_in(options_.cases), testing::Contains(testing::EndsWith(".case")));
}

TEST_F(CampaignTest, what_does_not_come_again_is_counted_and_another_process_follows) {
  options_.jobs = 1;
  const auto summary = run("once");
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_TRUE(summary->findings.empty());
  EXPECT_EQ(summary->unrepeated, 1u);
  EXPECT_EQ(names_in(options_.corpus / "differential"), (std::vector<std::string>{"new", "seed"}));
}

TEST_F(CampaignTest, programs_that_cannot_run_are_an_error) {
  options_.time = std::chrono::seconds(60);
  const auto summary = run("cannot");
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().message, HasSubstr("it cannot run"));
}

TEST_F(CampaignTest, an_interruption_ends_it_and_the_corpus_stays) {
  options_.time.reset();
  options_.interrupted = [this] { return fs::exists(options_.corpus / "differential" / "new") ? SIGINT : 0; };
  const auto summary = run("agrees");
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->signal, SIGINT);
  EXPECT_THAT(names_in(options_.corpus / "differential"), testing::Contains("seed"));
}

TEST_F(CampaignTest, a_corpus_has_one_campaign_at_a_time) {
  bool tried = false;
  options_.time = std::chrono::seconds(1);
  options_.say = [&](std::string_view) {
    if (std::exchange(tried, true)) return;
    const auto other = run_campaign(options_);
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr("another campaign is using this folder"));
  };
  EXPECT_TRUE(run("agrees"));
  EXPECT_TRUE(tried);
}

TEST_F(CampaignTest, a_program_without_libfuzzer_is_none) {
  const fs::path program = folder_ / "fuzz_other";
  ASSERT_TRUE(write_file(program, "#!/bin/sh\necho \"$0: no input; name files, or folders that hold some\"\nexit 2\n"));
  fs::permissions(program, fs::perms::owner_all);
  const auto unfit = find_unfit({"differential", program}, {}, folder_ / "probe");
  ASSERT_TRUE(unfit);
  EXPECT_THAT(unfit->why, HasSubstr("built without libFuzzer"));
  ASSERT_TRUE(write_file(program, "#!/bin/sh\necho 'it is unavailable'\nexit 3\n"));
  fs::permissions(program, fs::perms::owner_all);
  const auto unavailable = find_unfit({"differential", program}, {}, folder_ / "probe");
  ASSERT_TRUE(unavailable);
  EXPECT_EQ(unavailable->why, "it is unavailable");
  EXPECT_EQ(unavailable->status, 3);
}

}  // namespace
}  // namespace aesgate
