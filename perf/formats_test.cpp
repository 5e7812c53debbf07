#include "perf/perf_formats.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "explain/read.h"
#include "perf/made_up_report_test.h"

namespace aesgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Shape shape(Mode mode, Direction direction = Direction::encrypt) { return {mode, direction, KeySize::bits128}; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

/// Two sizes of which the second was wrong.
PerfReport wrong_report() {
  PerfReport report = made_up_report({{}}, {16, 64});
  report.results[1].verdict = Verdict::mismatch;
  report.results[1].reason = "byte 3, \"expected\" 00";
  return report;
}

TEST(PerfFormats, EachHasItsNameAndNoOtherIsTaken) {
  for (const char* name : {"table", "json", "csv", "benchmark", "openssl", "openssl-mr", "via", "cycles"}) {
    const auto format = parse_perf_format(name);
    ASSERT_TRUE(format) << name;
    EXPECT_THAT(to_text(*format, made_up_report({{}})), testing::EndsWith("\n")) << name;
  }
  for (const char* name : {"", "xml", "Table", "json "})
    EXPECT_THAT(parse_perf_format(name).error().message,
                HasSubstr("known: table, json, csv, benchmark, openssl, openssl-mr, via, cycles"));
}

TEST(PerfFormats, Csv) {
  const auto lines = lines_of(to_csv(made_up_report({{}}, {64, 1024})));
  ASSERT_EQ(lines.size(), 1u + 2 + 3);
  EXPECT_THAT(lines[0],
              testing::StartsWith("backend,unit,mode,direction,key_bits,in_place,offset,what,bytes,verdict,"));
  EXPECT_THAT(lines[1], testing::StartsWith("quick,aes.xmm,CBC,encrypt,128,0,0,update,64,agree,2.8125,"));
  EXPECT_THAT(lines[3], testing::StartsWith("quick,aes.xmm,CBC,encrypt,128,0,0,bulk,,agree,2.5,"));
  EXPECT_THAT(lines[4], testing::StartsWith("quick,aes.xmm,CBC,encrypt,128,0,0,call,,agree,20,"));
  EXPECT_THAT(lines[5], testing::StartsWith("quick,aes.xmm,CBC,encrypt,128,0,0,key set-up,,agree,150,"));
  for (const std::string& line : lines)
    EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(lines[0], ',')) << line;
}

TEST(PerfFormats, CsvQuotesWhatWouldEndAField) {
  const auto lines = lines_of(to_csv(wrong_report()));
  EXPECT_THAT(lines[2], HasSubstr(",update,64,mismatch,,,,,,,,,,21,21,,\"byte 3, \"\"expected\"\" 00\""));
}

TEST(PerfFormats, GoogleBenchmark) {
  const auto json = to_benchmark_json(made_up_report({{}}, {64, 1024}));
  ASSERT_EQ(json["benchmarks"].size(), 2u);
  const auto& cell = json["benchmarks"][1];
  EXPECT_EQ(cell["name"], "quick/CBC/encrypt/128/1024");
  EXPECT_EQ(cell["run_type"], "iteration");
  EXPECT_EQ(cell["time_unit"], "ns");
  EXPECT_NEAR(cell["real_time"].get<double>(), (20 + 2.5 * 1024) / 4, 1e-6);
  EXPECT_EQ(cell["cpu_time"], cell["real_time"]);
  EXPECT_NEAR(cell["bytes_per_second"].get<double>(), 1024 / ((20 + 2.5 * 1024) / 4e9), 1);
  EXPECT_EQ(cell["iterations"], 210);
  const auto wrong = to_benchmark_json(wrong_report())["benchmarks"][1];
  EXPECT_EQ(wrong["error_occurred"], true);
  EXPECT_FALSE(wrong.contains("real_time"));
}

TEST(PerfFormats, GoogleBenchmarkHasCpuTimeWhereTheWorkIsElsewhere) {
  PerfReport report = made_up_report({{}}, {16384});
  report.results[0].elapsed = Elapsed{2, 0.25};
  const auto cell = to_benchmark_json(report)["benchmarks"][0];
  EXPECT_DOUBLE_EQ(cell["real_time"].get<double>(), 2 * 16384);
  EXPECT_DOUBLE_EQ(cell["cpu_time"].get<double>(), 0.5 * 16384);
}

/// The row of the backend "quick" in the table over sizes, of which a call costs `call`.
std::string row_with_call(const Figure& call) {
  PerfReport report = made_up_report({{}});
  report.series[0].cycles->call = call;
  for (const std::string& line : lines_of(to_table(report)))
    if (line.starts_with("quick ")) return line;
  return {};
}

TEST(PerfFormats, ACallIsShownToTheDigitThatItsIntervalSupports) {
  for (const auto& [call, shown] : std::vector<std::pair<Figure, std::string>>{
           {{8.8472, 8.8172, 8.8772}, "8.85"},
           {{8.8472, 5.8, 11.8}, "9"},
           {{729.84, 700, 760}, "730"},
           {{729.84, 729.84, 729.84}, "729.8"},
           {{0.02, -0.4, 0.5}, "~0"},
           {{-1.25, -3, 0}, "~0"},
           {{-12.345, -12.9, -11.7}, "-12.3"},
       })
    EXPECT_THAT(row_with_call(call), testing::ContainsRegex(" " + shown + " +[0-9]")) << shown;
}

TEST(PerfFormats, ACallBelow0IsExplained) {
  PerfReport report = made_up_report({{}});
  EXPECT_THAT(to_table(report), Not(HasSubstr("A call below 0")));
  report.series[0].cycles->call = {-1.25, -3, 0.5};
  EXPECT_THAT(to_table(report), Not(HasSubstr("A call below 0")));
  EXPECT_THAT(to_csv(report), HasSubstr(",call,,agree,-1.25,-3,0.5,"));
  EXPECT_THAT(to_csv(report), HasSubstr(",the interval includes 0\n"));
  report.series[0].cycles->call = {-12, -13, -11};
  EXPECT_THAT(to_table(report), HasSubstr("A call below 0"));
  EXPECT_THAT(to_csv(report), HasSubstr(",below 0: small calls took less than"));
}

TEST(PerfFormats, ATableOfNothingIsTheReasonsAlone) {
  PerfReport report = made_up_report({{}}, {16, 64});
  for (PerfResult& result : report.results) {
    result.verdict = Verdict::unavailable;
    result.reason = "no such unit";
  }
  report.series.clear();
  const std::string text = to_table(report);
  const std::size_t said = text.find("quick: not timed, unavailable: no such unit\n");
  ASSERT_NE(said, std::string::npos) << text;
  EXPECT_EQ(text.find("no such unit", said + 60), std::string::npos) << text;
  EXPECT_THAT(text, Not(HasSubstr("vs fastest")));
}

// The same widths as `openssl speed` of OpenSSL 3.0 prints.
TEST(PerfFormats, OpensslSpeed) {
  EXPECT_EQ(to_openssl(made_up_report({{.shape = shape(Mode::ecb), .call = 0, .per_byte = 4},
                                       {.shape = shape(Mode::cfb128), .call = 0, .per_byte = 4e6}},
                                      {16, 16384})),
            "aesgate perf: quick, encrypt\n"
            "The 'numbers' are in 1000s of bytes per second processed.\n"
            "type             16 bytes  16384 bytes\n"
            "AES-128-ECB    1000000.00k  1000000.00k\n"
            "AES-128-CFB       1000.00      1000.00 \n");
}

TEST(PerfFormats, OpensslSpeedHasATableForEachBackendDirectionAndChoiceOfSizes) {
  const std::string text =
      to_openssl(made_up_report({{}, {.backend = "other"}, {.shape = shape(Mode::cbc, Direction::decrypt)}}, {16, 64}));
  const auto first = text.find("quick, encrypt"), second = text.find("quick, decrypt"),
             third = text.find("other, encrypt");
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_NE(third, std::string::npos);
}

TEST(PerfFormats, OpensslMr) {
  EXPECT_EQ(to_openssl_mr(made_up_report({{.shape = shape(Mode::ecb), .call = 0, .per_byte = 4}}, {16, 16384})),
            "aesgate perf: quick, encrypt\n"
            "+H:16:16384\n"
            "+F:25:AES-128-ECB:1000000000.00:1000000000.00\n");
}

/// As `aesgate explain` reads it: the rate at 16384 bytes of the run with that many of them.
double explained_rate(const std::string& text) {
  explain::Reading reading;
  const auto read = explain::read_text(text, "perf.txt", reading);
  EXPECT_TRUE(read) << read.error().message;
  EXPECT_EQ(reading.runs.size(), 1u) << text;
  if (reading.runs.empty() || reading.runs[0].samples.empty()) return 0;
  EXPECT_EQ(reading.runs[0].samples.back().bytes, 16384u);
  EXPECT_EQ(reading.runs[0].samples.size(), 6u);
  return reading.runs[0].samples.back().bytes_per_second;
}

TEST(PerfFormats, ExplainReadsWhatPerfWrites) {
  const PerfReport report = made_up_report({{.call = 0, .per_byte = 4}});  // 1 ns a byte
  for (const PerfFormat format : {PerfFormat::openssl, PerfFormat::openssl_mr, PerfFormat::json})
    EXPECT_NEAR(explained_rate(to_text(format, report)), 1e9, 1e4) << to_text(format, report);
}

TEST(PerfFormats, WhatIsWrongHasNoSpeedInAny) {
  PerfReport report = wrong_report();
  report.series[0].wrong = true;
  for (const std::string& text : {to_openssl(report), to_openssl_mr(report)}) {
    EXPECT_THAT(text, HasSubstr("quick, CBC encrypt 128, 64 bytes: not timed, mismatch: byte 3"));
    EXPECT_THAT(text, Not(HasSubstr("AES-128-CBC"))) << text;
  }
  EXPECT_THAT(to_cycles(report), HasSubstr("quick (CBC encrypt 128, 64 bytes) does NOT work correctly: byte 3"));
}

TEST(PerfFormats, Cycles) {
  const auto lines = lines_of(to_cycles(made_up_report({{}}, {16384})));
  EXPECT_THAT(lines,
              ElementsAre("[x] PRNG initialized by the seed: 0x251C1250", HasSubstr("[x] pinned to CPU 0; governor"),
                          "Timing overhead: 22 ticks", "Core at 4.000 GHz: a tick is 2.000 core cycles",
                          "quick CBC encrypt 128 works correctly",
                          "Speed of quick (CBC encrypt 128, 16384 bytes): 1.2506 [Clock ticks]/[Byte], 2.5012 "
                          "[Core cycles]/[Byte]"));
}

/// Of VIA's own table: the C5P at 1.2 GHz, and software on the Athlon XP, which its tool gave 200 iterations a minute.
PerfReport via_report() {
  const auto per_byte = [](double iterations) { return 60 * 4e9 / (iterations * 1000 * 16384); };
  std::vector<MadeUp> all;
  for (const auto& [mode, iterations] :
       {std::pair(Mode::ecb, 5876.0), {Mode::cbc, 2900.0}, {Mode::cfb128, 2900.0}, {Mode::ofb, 1480.0}}) {
    all.push_back({"card", "xcrypt", shape(mode), 0, per_byte(iterations), 100});
    all.push_back({"table", "none", shape(mode), 0, per_byte(200), 100});
  }
  return made_up_report(all, {16384});
}

TEST(PerfFormats, Via) {
  const std::string text = to_via(via_report());
  EXPECT_THAT(text, HasSubstr("software  table                200       200       200       200\n"
                              "hardware  card                5876      2900      2900      1480\n"))
      << text;
  EXPECT_THAT(text, HasSubstr("A shorter run, scaled: the median of 210 calculations of 16384 bytes"));
  // 3.4 ms are some.
  EXPECT_THAT(to_via(made_up_report({{.call = 0, .per_byte = 4}}, {16384})), HasSubstr(" (0.00344 s), not of"));
  EXPECT_THAT(text,
              HasSubstr("card           ECB : CBC : CFB : OFB = 4.0 : 2.0 : 2.0 : 1.0, pipelined against serial\n"));
  EXPECT_THAT(text, HasSubstr("table          ECB : CBC : CFB : OFB = 1.0 : 1.0 : 1.0 : 1.0, nothing pipelined\n"));
  // From 100 to 10000 in 60 columns: 200 is 0.301 decades up, 1480 is 1.170.
  EXPECT_THAT(text, HasSubstr("table          ECB ░░░░░░░░░ 200\n")) << text;
  std::string bar = "card           OFB ";
  for (int i = 0; i < 35; ++i) bar += "█";
  EXPECT_THAT(text, HasSubstr(bar + " 1480\n")) << text;
}

TEST(PerfFormats, ViaIsOfAes128EncryptionAlone) {
  EXPECT_THAT(to_via(made_up_report({{.shape = shape(Mode::cbc, Direction::decrypt)}})), HasSubstr("Nothing of it"));
}

// PadLock's clocks for ECB, 11.97 a block, are what VIA's 5876 come to.
TEST(PerfFormats, ViaIsModelledWhereTheUnitIsEmulated) {
  PerfReport report = made_up_report({{.backend = "padlock", .unit = "xcrypt", .shape = shape(Mode::ecb)}}, {16384});
  report.results[0].modelled_clocks_per_byte = 11.966 / 16;
  EXPECT_THAT(to_via(report), HasSubstr("modelled  padlock             5876"));
  report.results[0].modelled_clocks_per_byte = 0;
  EXPECT_THAT(to_via(report), HasSubstr("Nothing of it"));
}

}  // namespace
}  // namespace aesgate
