#include "perf/perf.h"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "oracle/oracle.h"
#include "perf/sampler.h"

namespace aesgate {
namespace {

/// A right backend until it has been called `right_calls` times; then one bit is wrong. The oracle does the work.
std::size_t right_calls = 0;
std::size_t calls = 0;

aesgate_update_fn right_update(const aesgate_shape* shape) {
  return fips197_oracle().update_for(&fips197_oracle(), shape);
}

int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  static const aesgate_shape shape{AESGATE_ECB, AESGATE_ENCRYPT, 128, 0};
  const int status = right_update(&shape)(context, in, out, length);
  if (calls++ >= right_calls) out[length - 1] ^= 1;
  return status;
}

aesgate_backend turning_wrong() {
  aesgate_backend backend = fips197_oracle();
  backend.name = "turning-wrong";
  backend.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    return right_update(shape) != nullptr ? update : nullptr;
  };
  return backend;
}

class Perf : public testing::Test {
 protected:
  Perf() {
    plan_.backends = {&fips197_oracle()};
    plan_.modes = {Mode::ecb};
    options_.directions = {Direction::encrypt};
    options_.sizes = {64};
    options_.seconds_per_cell = 0.01;
    options_.key_setup = false;
    std::filesystem::create_directories(folder_);
  }
  ~Perf() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("aesgate-perf-test-" + std::to_string(getpid()));
  Plan plan_;
  PerfOptions options_;
  Record record_{folder_};
};

TEST_F(Perf, TimesEveryCellOfARightBackend) {
  plan_.modes = {Mode::ecb, Mode::cfb8};
  options_.directions = {Direction::encrypt, Direction::decrypt};
  options_.key_sizes = {KeySize::bits128, KeySize::bits256};
  options_.sizes = {16, 64};
  options_.placings = {{true, 0}, {true, 3}};
  options_.key_setup = true;
  options_.seconds_per_cell = 0.001;
  std::size_t told = 0;
  std::set<std::string> cells;
  const auto report = run_perf(plan_, options_, record_,
                               [&](std::size_t round, std::size_t done, std::size_t total, const std::string& cell) {
                                 cells.insert(cell);
                                 EXPECT_EQ(round * total + done, ++told);
                                 EXPECT_EQ(total, 40u);
                               });
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->results.size(), 32u);
  for (const PerfResult& result : report->results) {
    EXPECT_TRUE(result.timed()) << result.reason;
    EXPECT_TRUE(result.in_place);
    EXPECT_GT(result.units_per_byte.median, 0);
    EXPECT_TRUE(std::isfinite(result.units_per_byte.median));
    EXPECT_GE(result.samples_taken, least_samples_taken);
    EXPECT_EQ(result.raw.back().round, options_.rounds - 1);
  }
  EXPECT_EQ(told, 40u * options_.rounds);  // with a key set-up for each shape
  EXPECT_TRUE(cells.contains(std::string(fips197_oracle().name) + " CFB8 decrypt 256, 64 bytes, in place, at 3"));
  EXPECT_TRUE(cells.contains(std::string(fips197_oracle().name) + " CFB8 decrypt 256, key set-up"));
  EXPECT_EQ(record_.done(), 80u);  // before and after
  EXPECT_EQ(record_.expected(), 80u);
  EXPECT_EQ(record_.failures(), 0u);
  EXPECT_EQ(exit_status(*report), 0);
}

TEST_F(Perf, AWrongBackendIsNotTimed) {
  const aesgate_backend wrong = turning_wrong();
  plan_.backends = {&wrong};
  right_calls = calls = 0;
  const auto report = run_perf(plan_, options_, record_);
  ASSERT_TRUE(report);
  const PerfResult& result = report->results.at(0);
  EXPECT_EQ(result.verdict, Verdict::mismatch);
  EXPECT_EQ(result.samples_taken, 0u);
  EXPECT_LT(calls, 10u);  // those of the one Case
  EXPECT_EQ(record_.failures(), 1u);
  ASSERT_EQ(record_.findings().size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(record_.findings()[0].case_file));
  EXPECT_EQ(exit_status(*report), 1);
}

TEST_F(Perf, ABackendThatTurnsWrongWhileItIsTimedHasNoSpeed) {
  const aesgate_backend wrong = turning_wrong();
  plan_.backends = {&wrong};
  right_calls = 100;
  calls = 0;
  const auto report = run_perf(plan_, options_, record_);
  ASSERT_TRUE(report);
  const PerfResult& result = report->results.at(0);
  EXPECT_GT(calls, 100u);
  EXPECT_EQ(result.verdict, Verdict::mismatch);
  EXPECT_EQ(result.samples_taken, 0u);
  EXPECT_FALSE(result.cycles_per_byte);
  EXPECT_EQ(report->samples_taken, 0u);
  EXPECT_EQ(exit_status(*report), 1);
}

TEST_F(Perf, AnUnavailableBackendIsNotAFailureNorASuccess) {
  aesgate_backend absent = fips197_oracle();
  absent.name = "absent";
  absent.probe = [](const aesgate_backend*, char* reason, std::size_t size) -> int {
    std::snprintf(reason, size, "no such unit");
    return AESGATE_UNAVAILABLE;
  };
  plan_.backends = {&absent};
  const auto report = run_perf(plan_, options_, record_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->results.at(0).verdict, Verdict::unavailable);
  EXPECT_EQ(report->results.at(0).reason, "no such unit");
  EXPECT_EQ(record_.failures(), 0u);
  EXPECT_EQ(exit_status(*report), 3);
}

TEST_F(Perf, RefusesBadInputInOneLine) {
  const auto message = [&](auto change) {
    Plan plan = plan_;
    PerfOptions options = options_;
    change(plan, options);
    const auto report = run_perf(plan, options, record_);
    return report ? std::string() : report.error().message;
  };
  EXPECT_EQ(message([](Plan&, PerfOptions& o) {
              o.sizes = {64, 17};
            }),
            "perf: a size of 17 bytes, but ECB takes multiples of 16");
  EXPECT_EQ(message([](Plan&, PerfOptions& o) { o.sizes = {0}; }), "perf: a size of 0 bytes; it takes 1 to 16777216");
  EXPECT_EQ(message([](Plan&, PerfOptions& o) { o.sizes = {std::size_t{1} << 40}; }),
            "perf: a size of 1099511627776 bytes; it takes 1 to 16777216");
  EXPECT_EQ(message([](Plan&, PerfOptions& o) { o.seconds_per_cell = std::nan(""); }),
            "perf: nan seconds a cell; it takes more than 0 and at most 3600");
  EXPECT_EQ(message([](Plan&, PerfOptions& o) { o.rounds = 0; }), "perf: 0 rounds; it takes at least one");
  EXPECT_EQ(message([](Plan& p, PerfOptions&) { p.backends.clear(); }), "perf: no backend is chosen");
  EXPECT_EQ(message([](Plan& p, PerfOptions&) { p.modes.clear(); }), "perf: no mode is chosen");
  EXPECT_EQ(record_.done(), 0u);
}

TEST(DefaultPerfSizes, TakeUpTo1024BlockOperationsInEveryMode) {
  for (const Mode mode : all_modes) {
    const std::vector<std::size_t> sizes = default_perf_sizes(mode);
    EXPECT_EQ(sizes.back() * 8 / unit_bits(mode) / segment_units(mode), 1024u) << name(mode);
    EXPECT_GE(sizes.size(), 3u);
  }
}

}  // namespace
}  // namespace aesgate
