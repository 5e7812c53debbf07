#include "explain/read.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "explain/clean_lines.h"
#include "explain/engine_offers.h"
#include "explain/fit.h"
#include "explain/openssl_command.h"
#include "explain/openssl_lines.h"

namespace aesgate::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Reading reading_of(const std::string& text) {
  Reading reading;
  const auto read = read_text(text, "file", reading);
  EXPECT_TRUE(read) << read.error().message;
  return reading;
}

std::string error_of(const std::string& text) {
  Reading reading;
  const auto read = read_text(text, "file", reading);
  EXPECT_FALSE(read);
  return read ? "" : read.error().message;
}

TEST(Algorithm, OfTheNamesThatBenchmarksUse) {
  for (const char* text :
       {"aes-256 cbc", "aes-256-cbc", "AES-256-CBC", "AES-256/CBC/PKCS7", "AES(G) CBC(G) 256", "aes256 cbc"})
    EXPECT_EQ(parse_algorithm(text).name, "AES-256-CBC") << text;
  EXPECT_EQ(parse_algorithm("aes-128-cfb").name, "AES-128-CFB128");
  EXPECT_EQ(parse_algorithm("AES-192-CFB8").mode, "CFB8");
  EXPECT_EQ(parse_algorithm("AES-128-CFB128").key_bits, 128u);
  EXPECT_FALSE(parse_algorithm("camellia-256 cbc").aes);
  EXPECT_EQ(parse_algorithm("evp").name, "evp");
}

TEST(CleanLines, UndoWhatMailDoes) {
  const auto text = [](const std::string& raw) {
    std::vector<std::string> all;
    for (const Line& line : clean_lines(raw)) all.push_back(line.text);
    return all;
  };
  EXPECT_THAT(text("in 3.01s=\n\nHZ=3D100\nby=\ntes\n"), ElementsAre("in 3.01s", "HZ=100", "bytes"));
  EXPECT_THAT(text("> > type  \r\n>16 bytes\r\n"), ElementsAre("type", "16 bytes"));
  EXPECT_THAT(text("HZ=3D100\n"), ElementsAre("HZ=3D100")) << "no soft line break: nothing was encoded";
  EXPECT_THAT(text("a\xc2\xa0"
                   "b\tc\x1b[0m\n"),
              ElementsAre("a b c[0m"));
  EXPECT_EQ(clean_lines("a=\nb\nc\n")[1].number, 3u);
}

TEST(OpensslLines, Doing) {
  const auto doing = parse_doing("Doing AES-128-CBC ops for 3s on 16384 size blocks: 89816 AES-128-CBC ops in 2.99s");
  ASSERT_TRUE(doing);
  EXPECT_EQ(doing->algorithm, "AES-128-CBC");
  EXPECT_EQ(doing->bytes, 16384u);
  EXPECT_EQ(doing->calls, 89816);
  EXPECT_EQ(doing->seconds, 2.99);
  EXPECT_EQ(doing->planned_seconds, 3);
  EXPECT_FALSE(parse_doing("Doing aes-256 cbc for 3s on 16 size blocks: 258865 aes-256 cbc's in"));
  EXPECT_FALSE(parse_doing("Doing size blocks: for 3s on 16"));  // whose beginning is a part of both
  EXPECT_FALSE(begins_doing("Doing 2048 bits private rsa's for 10s: 14723 2048 bits private RSA's in 9.99s"));
}

TEST(OpensslCommand, AndSentencesAboutOne) {
  const auto command =
      parse_openssl_command("user@host:~$ time /usr/bin/openssl speed -elapsed -engine afalg -evp aes-128-cbc 2>&1");
  ASSERT_TRUE(command);
  EXPECT_EQ(command->text, "openssl speed -elapsed -engine afalg -evp aes-128-cbc");
  EXPECT_EQ(command->engine, "afalg");
  EXPECT_EQ(command->evp, "aes-128-cbc");
  EXPECT_TRUE(command->elapsed);
  EXPECT_FALSE(parse_openssl_command("openssl speed says the same with the card."));
  EXPECT_FALSE(parse_openssl_command("I ran openssl speed -evp aes-128-cbc"));
}

TEST(OpensslReader, SeveralRunsInAFile) {
  const std::string run = "Doing aes-128 cbc for 3s on 16 size blocks: 3000 aes-128 cbc's in 3.00s\n";
  const Reading reading = reading_of(run + run);
  ASSERT_EQ(reading.runs.size(), 2u);
  EXPECT_NE(reading.runs[0].invocation_number, reading.runs[1].invocation_number);
  EXPECT_EQ(reading.runs[1].place.line, 2u);
}

TEST(OpensslReader, ATableAlone) {
  const Reading reading = reading_of(
      "type             16 bytes     64 bytes\n"
      "aes-128 cbc       16.00k       32.00k\n"
      "aes-256 cbc        8.00k        infk\n");
  ASSERT_EQ(reading.runs.size(), 2u);
  EXPECT_EQ(reading.runs[0].samples[1].bytes_per_second, 32000);
  EXPECT_EQ(reading.runs[1].samples[1].bytes_per_second, 0);
  EXPECT_EQ(reading.runs[0].invocation.clock, Clock::unknown);
}

TEST(OpensslReader, SentencesAroundATable) {
  const Reading reading = reading_of(
      "type             16 bytes     64 bytes\n"
      "aes-128 cbc       16.00k       32.00k\n"
      "OpenSSL is slow here, for a cache of 64k\n"
      "Doing this for 3 days\n");
  ASSERT_EQ(reading.runs.size(), 1u);
  EXPECT_EQ(reading.runs[0].invocation.version, "");
}

TEST(OpensslReader, AnEngineAfterTheFiguresIsOfTheNextRun) {
  const std::string run = "Doing aes-128 cbc for 3s on 16 size blocks: 3000 aes-128 cbc's in 3.00s\n";
  const Reading reading = reading_of(run + "engine \"cryptodev\" set.\n" + run);
  ASSERT_EQ(reading.runs.size(), 2u);
  EXPECT_EQ(reading.runs[0].invocation.engine, "");
  EXPECT_EQ(reading.runs[1].invocation.engine, "cryptodev");
}

TEST(OpensslReader, Evp) {
  const auto evp = [](const std::string& name, const std::string& version) {
    return reading_of(fmt::format("Doing {0} for 3s on 16 size blocks: 3000 {0}'s in 3.00s\n{1}\n", name, version))
        .runs.front()
        .invocation.evp;
  };
  EXPECT_EQ(evp("aes-128 cbc", ""), false);
  EXPECT_EQ(evp("aes-128-cbc", "OpenSSL 1.1.1n  15 Mar 2022"), true);
  EXPECT_EQ(evp("aes-128-cbc", "version: 3.0.19"), false);
  EXPECT_EQ(evp("aes-128-cbc", ""), std::nullopt);
  EXPECT_EQ(evp("AES-128-CBC", "version: 3.0.19"), true);
}

TEST(Readers, KcapiUnitsHaveNoLeadingZeros) {
  const Reading reading =
      reading_of("AES(G) CBC(G) 128                    |e|      16 bytes|   10.5 MB/s|655000 ops/s\n");
  EXPECT_EQ(reading.runs[0].samples[0].bytes_per_second, 10 * 1024 * 1024 + 5 * 10000);
}

TEST(Readers, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of("").substr(0, 29), "file:1: the file is empty; kn");
  EXPECT_THAT(error_of("\n\nhello\n"),
              HasSubstr("file:3: \"hello\": no benchmark output that is known; known: openssl"));
  EXPECT_THAT(error_of("\nDoing aes-128 cbc for 3s on 16 size blocks: 25\n"), HasSubstr("file:2: "));
  EXPECT_THAT(error_of("type 16 bytes 64 bytes\naes-128 cbc 16.00k\n"), HasSubstr("file:2: "));
  EXPECT_THAT(error_of("+H:16:64\n+F:25:aes-128 cbc:12.0:x\n"), HasSubstr("file:2: "));
  EXPECT_THAT(error_of("cipher,AES,CBC enc,,,?,ns/B,,MiB/s,,c/B\n"), HasSubstr("file:1: "));
  EXPECT_THAT(error_of("[\n{\"algo\": \"AES-128\",\n"), HasSubstr("file:3: this begins as JSON"));
  EXPECT_THAT(error_of("{\"aesgate\": \"0.1.0\", \"results\": [{}]}"), HasSubstr("file:1: /results/0: "));
  EXPECT_THAT(error_of("{\"aesgate\": \"0.1.0\"}"), HasSubstr("neither times nor mismatches"));
  EXPECT_THAT(error_of("{}"), HasSubstr("neither botan speed nor aesgate"));
  EXPECT_THAT(error_of("[{\"algo\": \"AES-128\", \"buf_size\": 16, \"events\": 1e999, \"nanos\": 1}]"),
              HasSubstr("file:1: "));
  EXPECT_THAT(error_of(std::string("a\n\0", 3)), HasSubstr("file:2: byte 0x00"));
}

SpeedRun run_of(double setup, double per_byte) {
  SpeedRun run;
  for (const std::size_t bytes : {16u, 64u, 256u, 1024u, 8192u}) {
    Sample sample;
    sample.bytes = bytes;
    sample.bytes_per_second = static_cast<double>(bytes) / (setup + per_byte * static_cast<double>(bytes));
    run.samples.push_back(sample);
  }
  return run;
}

TEST(Fit, FindsSetUpAndCostAByte) {
  const auto line = fit(run_of(12.5e-6, 9.3e-9));
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->setup, 12.5e-6, 1e-12);
  EXPECT_NEAR(line->per_byte, 9.3e-9, 1e-15);
  EXPECT_TRUE(line->straight());
  EXPECT_GT(line->setup_error, 0) << "no text is exact";
}

TEST(Fit, SaysWhereThereIsNoLine) {
  SpeedRun run = run_of(12.5e-6, 9.3e-9);
  run.samples[4].bytes_per_second /= 3;
  EXPECT_FALSE(fit(run)->straight());
  run.samples.resize(2);
  EXPECT_FALSE(fit(run)) << "two points always lie on a line";
}

TEST(Fit, IsOfElapsedTimeWhereTheTextHasIt) {
  SpeedRun run = run_of(0, 1e-9);
  run.invocation.clock = Clock::cpu;
  for (Sample& sample : run.samples) {
    sample.calls = 3 / (40e-6 + 9e-9 * static_cast<double>(sample.bytes));
    sample.seconds = 0.1;
    sample.has_seconds = true;
    sample.planned_seconds = 3;
  }
  EXPECT_NEAR(fit(run)->setup, 40e-6, 1e-10);
  EXPECT_NEAR(fit(run, true)->setup, 0, 1e-12);
  EXPECT_NEAR(*cpu_share(run), 1.0 / 30, 1e-9);
}

TEST(EngineOffers, ByVersion) {
  Invocation said;
  said.engine = "cryptodev";
  const Algorithm aes256 = parse_algorithm("aes-256-cbc");
  for (const auto& [version, has] : {std::pair{"0.9.8d", false}, {"1.0.2u", true}}) {
    said.version = version;
    ASSERT_NE(find_offer(said), nullptr);
    EXPECT_EQ(find_offer(said)->has(aes256), has) << version;
    EXPECT_EQ(find_offer(said)->nearest(aes256), has ? "aes-256-cbc" : "aes-128-cbc");
  }
  said.version = "3.0.19";
  EXPECT_EQ(find_offer(said), nullptr) << "that engine is devcrypto since 1.1.1";
  said.version = "";
  EXPECT_EQ(find_offer(said), nullptr) << "nothing is known without a version";
}

}  // namespace
}  // namespace aesgate::explain
