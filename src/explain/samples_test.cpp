// Saved outputs, typed from figures (samples/), each with the verdict that it must get: what must be concluded, and
// what must not, since it would be more than the text holds.

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "explain/explain_report.h"
#include "explain/read.h"

namespace aesgate::explain {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string contents(const std::string& name) {
  std::ifstream file(std::string(AESGATE_EXPLAIN_SAMPLES) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// "inference no-evp" and the like.
std::vector<std::string> verdicts(const Explanation& explanation) {
  std::vector<std::string> all;
  for (const Conclusion& conclusion : explanation.conclusions)
    all.push_back(fmt::format("{} {}", name(conclusion.list), conclusion.kind));
  return all;
}

/// A report without its wraps, so that they are no difference.
std::string unwrapped(const std::string& text) {
  const std::string wrap = "\n    ";
  std::string flat;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, wrap.size(), wrap) == 0) {
      at = std::min(text.find_first_not_of(" \n", at), text.size());
      flat.push_back(' ');
    } else {
      flat.push_back(text[at++]);
    }
  }
  return flat;
}

struct Sampled {
  std::vector<std::string> files;
  std::vector<std::string> must;      // verdicts
  std::vector<std::string> must_not;  // kinds, in any list
  std::vector<std::string> says;      // in the report
  int status = 0;
};

class Samples : public testing::TestWithParam<Sampled> {};

TEST_P(Samples, GetTheirVerdict) {
  const Sampled& sample = GetParam();
  Reading reading;
  for (const std::string& file : sample.files) {
    const auto read = read_text(contents(file), file, reading);
    ASSERT_TRUE(read) << read.error().message;
  }
  const Explanation explanation = explain(reading);
  const std::string text = to_text(explanation);
  SCOPED_TRACE(text);
  for (const std::string& verdict : sample.must) EXPECT_THAT(verdicts(explanation), Contains(verdict));
  for (const std::string& kind : sample.must_not) EXPECT_FALSE(explanation.concludes(kind)) << kind;
  const std::string flat = unwrapped(text);
  for (const std::string& words : sample.says) EXPECT_THAT(flat, HasSubstr(words));
  EXPECT_EQ(exit_status(explanation), sample.status);
  EXPECT_FALSE(explanation.next.empty()) << "it ends with what to run next";
  EXPECT_EQ(to_json(explanation)["conclusions"].size(), explanation.conclusions.size());
}

const Sampled sampled[] = {
    // The same speed with and without the engine.
    {{"same-with-card.txt", "same-without-card.txt"},
     {"inference same-implementation", "inference no-kernel-crossing", "likely cause no-evp", "inference not-offered",
      "fact cpu-clock", "fact units"},
     {"kernel-crossing", "cpu-time", "crossover", "engine-refused"},
     {"set-up 0.75 ± 0.12 µs a call, 0.6783", "set-up 0.72 ± 0.11 µs a call, 0.6763",
      "calls AES_cbc_encrypt() directly and never asks the engine cryptodev", "offers AES-128-CBC only",
      "set-up 0.753 µs and 0.720 µs a call, 0.678 µs and 0.676 µs a byte", "1464.71k is 1.46 MB/s = 0.0117 Gbit/s",
      "  openssl speed -elapsed -engine cryptodev -evp aes-128-cbc\n",
      "  aesgate witness -- openssl speed -elapsed -engine cryptodev -evp aes-128-cbc\n"}},
    {{"evp-not-offered.txt"},
     {"inference same-implementation", "inference not-offered"},
     {"no-evp", "cpu-clock", "kernel-crossing"},
     {"AES-256-CBC ran in software"}},
    // Should one use -evp, and is the engine used in it?
    {{"evp-engine.txt"},
     {"inference path", "inference kernel-crossing"},
     {"no-evp", "not-offered", "no-kernel-crossing"},
     {"set-up 12.50", "9.300"}},
    {{"evp-no-engine.txt"},
     {"inference path", "inference no-kernel-crossing", "fact cpu-aes"},
     {"kernel-crossing", "no-evp", "cpu-hidden", "below-floor"},
     {"no engine is named"}},
    // Hardware that is slower than software.
    {{"crossover.txt"},
     {"fact crossover", "inference crossover", "likely cause small-buffers"},
     {"never-pays", "same-implementation", "small-in-software"},
     {"pays from about 267 bytes a call on"}},
    {{"never-pays.txt"},
     {"fact never-pays", "inference never-pays", "likely cause never-pays", "inference kernel-crossing"},
     {"crossover", "same-implementation"},
     {"there is no AES unit behind run 2"}},
    // "3 s of work in 0.10 s".
    {{"cpu-time.txt"},
     {"fact cpu-time", "inference cpu-time", "likely cause cpu-time", "inference kernel-crossing"},
     {"cpu-clock", "no-kernel-crossing"},
     {"81.1 MB/s by that count, 2.70 MB/s", "30 times what gets done in a second at 8192 bytes"}},
    {{"contended.txt"},
     {"inference cpu-time", "likely cause cpu-time"},
     {"kernel-crossing"},
     {"something else had the CPU"}},
    // "Invalid engine", and the run goes on.
    {{"invalid-engine.txt"},
     {"fact engine-refused", "inference engine-refused", "likely cause engine-refused"},
     {"path", "kernel-crossing"},
     {"silent fallback", "algif_skcipher", "99% of the CPU"},
     1},
    // The hardware gives "bad decrypt".
    {{"bad-decrypt.txt"},
     {"fact failure", "inference wrong-result", "likely cause wrong-result"},
     {},
     {"Verify first", "aesgate verify --backend openssl:engine=devcrypto --require openssl"},
     1},
    // One block is right, longer data is not.
    {{"self-test-second-block.txt"},
     {"inference wrong-result", "inference chaining-value", "likely cause chaining-value"},
     {"overlap"},
     {"48 + 16", "--backend af_alg:driver=cbc-aes-unit"},
     1},
    {{"self-test-chaining-value.txt"}, {"inference chaining-value"}, {"overlap"}, {"48 + 16"}, 1},
    // In place is wrong, out of place right.
    {{"in-place.json"},
     {"inference overlap", "likely cause overlap"},
     {"chaining-value"},
     {"and right out of place"},
     1},
    {{"self-test-in-place.txt"}, {"inference overlap"}, {}, {"does not tell whether it is right out of place"}, 1},
    // Small buffers are not offloaded.
    {{"small-in-software.txt"},
     {"fact small-in-software", "inference small-in-software", "likely cause small-in-software"},
     {"crossover", "never-pays", "same-implementation", "kernel-crossing"},
     {"between 256 and 1024 bytes", "-bytes 256\n", "-bytes 1024\n"}},
    // A virtual machine hides the CPU's flag.
    {{"hidden-cpu.txt"}, {"fact cpu-hidden", "likely cause cpu-hidden"}, {"cpu-aes"}, {"-cpu host"}},
    {{"cpuinfo.txt"}, {"fact cpu-hidden", "likely cause cpu-hidden"}, {}, {"a hypervisor is there"}},
    {{"masked-cpu.txt"}, {"likely cause cpu-hidden"}, {}, {"the environment masks it"}},
    // Slower at every size, but a fraction of the CPU.
    {{"cpu-share.txt"},
     {"fact cpu-share", "inference cpu-share", "fact never-pays", "inference cpu-time"},
     {"crossover"},
     {"run 1 has 99% of the CPU, run 2 has 18%", "so it gains less than that"}},
    {{"cpu-share-time.txt"},
     {"fact cpu-share", "inference cpu-share", "likely cause never-pays"},
     {"cpu-time"},
     {"is slower than this CPU, which has little to do meanwhile"}},
    // Faster than any CPU.
    {{"below-floor.txt"},
     {"inference below-floor", "likely cause below-floor", "inference cpu-clock"},
     {"no-kernel-crossing"},
     {"bound it to 4960 MB/s"}},
    {{"perf.json"}, {"inference below-floor"}, {"ticks"}, {"below the 0.0781", "0.314 cycles a byte"}},
    // Forms and programs.
    {{"machine.txt"}, {"fact units"}, {"no-evp", "cpu-time", "cpu-clock"}, {"CPU or elapsed time"}},
    {{"multi.txt"}, {"fact processes"}, {"difference"}, {"sum over 2 processes; one has 18.4 MB/s"}},
    {{"multi-errors-only.txt"}, {"fact processes"}, {"difference"}, {"sum over 2 processes; one has 18.4 MB/s"}},
    {{"mail.txt"}, {"fact no-evp", "inference no-kernel-crossing"}, {"path"}, {"5 sizes", "18.0 MB/s"}},
    {{"botan.json"},
     {"fact ticks", "inference below-floor", "fact units"},
     {"path"},
     {"no core cycles, if this is x86-64"}},
    {{"bench-slope.csv"},
     {"inference below-floor", "fact units"},
     {"path", "kernel-crossing"},
     {"run 4: 1.25 cycles a byte in AES-256-CBC encrypt cannot be core cycles"}},
    {{"kcapi.csv"}, {"fact kernel-crossing", "fact units"}, {"no-kernel-crossing"}, {"116 MB/s"}},
    {{"kcapi.txt"}, {"fact kernel-crossing"}, {"no-kernel-crossing"}, {"116 MB/s"}},
    {{"cryptsetup.txt"}, {"fact kernel-crossing", "fact units"}, {"below-floor"}, {"AES-128-XTS decrypt", "1074 MB/s"}},
};

INSTANTIATE_TEST_SUITE_P(all, Samples, testing::ValuesIn(sampled), [](const auto& sample) {
  std::string name = sample.param.files.front();
  for (char& c : name)
    if (c == '-' || c == '.') c = '_';
  return name;
});

TEST(Explanation, RecommendsAWitness) {
  Reading reading;
  ASSERT_TRUE(read_text(contents("evp-engine.txt"), "evp-engine.txt", reading));
  EXPECT_THAT(explain(reading).next, Contains(HasSubstr("aesgate witness -- openssl speed")));
}

TEST(Explanation, ReportIsHarmlessOnATerminal) {
  Reading reading;
  ASSERT_TRUE(read_text("bad decrypt\n", "name\x1b[31m", reading));
  const std::string text = to_text(explain(reading));
  EXPECT_THAT(text, HasSubstr("name?[31m:1"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace aesgate::explain
