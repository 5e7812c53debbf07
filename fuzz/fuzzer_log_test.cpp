#include "fuzz/fuzzer_log.h"

#include <gtest/gtest.h>

namespace aesgate {
namespace {

TEST(fuzzer_log, reads_what_libfuzzer_prints) {
  const auto progress = parse_progress(
      "#2048\tNEW    cov: 812 ft: 1733 corp: 301/72Kb lim: 1209 exec/s: 682 rss: 81Mb L: 310/1209 MS: 1 Custom-");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->cov, 812u);
  EXPECT_EQ(progress->ft, 1733u);
  EXPECT_EQ(progress->corpus, 301u);
  EXPECT_FALSE(parse_progress("#2048\tREAD units: 90"));
  EXPECT_FALSE(parse_progress("INFO: cov: 1 ft: 2 corp: 3/4b"));
  EXPECT_FALSE(parse_progress("#1 cov: x ft: 2 corp: 3/4b"));
  EXPECT_FALSE(parse_progress("# cov: "));
}

TEST(fuzzer_log, a_summary_is_the_same_wherever_the_code_is) {
  EXPECT_EQ(parse_summary("SUMMARY: AddressSanitizer: heap-buffer-overflow /a/b.cpp:3:5 in f(int)"),
            "AddressSanitizer: heap-buffer-overflow");
  EXPECT_EQ(parse_summary("SUMMARY: AddressSanitizer: SEGV"), "AddressSanitizer: SEGV");
  EXPECT_EQ(parse_summary("SUMMARY: libFuzzer: deadly signal"), "libFuzzer: deadly signal");
  EXPECT_EQ(parse_summary("summary: none"), std::nullopt);
}

}  // namespace
}  // namespace aesgate
