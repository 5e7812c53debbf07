#include <algorithm>

#include <gmock/gmock.h>

#include "cli/program_test.h"

namespace aesgate {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class BadInput : public ProgramTest {
 protected:
  void expect_refused(const std::vector<std::string>& arguments, const std::string& what,
                      const std::vector<std::string>& variables = {}) {
    SCOPED_TRACE(testing::PrintToString(arguments) + testing::PrintToString(variables));
    const std::vector<std::string> before = files();
    const Ran ran = run(arguments, variables);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, StartsWith("aesgate: "));
    EXPECT_THAT(ran.err, HasSubstr(what));
    EXPECT_THAT(ran.err, EndsWith("\n"));
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
    EXPECT_EQ(files(), before) << "the run left files behind";
  }
};

TEST_F(BadInput, Usage) {
  expect_refused({}, "no command; known: list, verify, kat, props, fuzz, replay, perf, gate, acvp, faults, ");
  expect_refused({"frobnicate"}, "unknown command \"frobnicate\"; known: list, verify");
  expect_refused({"--frobnicate"}, "unknown option \"--frobnicate\"; see aesgate --help");
  expect_refused({"verify", "--frobnicate"}, "unknown option \"--frobnicate\"; see aesgate verify --help");
  expect_refused({"verify", "stray"}, "unexpected argument \"stray\"");
  expect_refused({"verify\n\x1b[31m"}, "unknown command \"verify??[31m\"");
  expect_refused({"verify", "--mode"}, "--mode");
  expect_refused({"replay"}, "FILE");
}

TEST_F(BadInput, Values) {
  expect_refused({"verify", "--backend", "none"}, "--backend: unknown backend \"none\"; known: ");
  expect_refused({"verify", "--backend", "sbox:fast=yes"}, "--backend: backend sbox takes no options");
  expect_refused({"list", "--backend", "none"}, "--backend: unknown backend \"none\"");
  expect_refused({"kat", "--mode", "CTR"}, "--mode: unknown mode \"CTR\"; known: ECB, CBC, CFB1, CFB8, CFB128, OFB");
  expect_refused({"kat", "--mode", "CBC,XTS"}, "--mode: unknown mode \"XTS\"");
  expect_refused({"kat", "--key-bits", "129"}, "--key-bits: unknown key size \"129\"; known: 128, 192, 256");
  expect_refused({"fuzz", "--seed", "0x10"}, "--seed: \"0x10\" is no decimal number");
  expect_refused({"fuzz", "--seed", "99999999999999999999"}, "--seed: \"99999999999999999999\" is too large");
  expect_refused({"props", "--effort", "huge"}, "--effort: unknown effort \"huge\"; known: quick, normal, deep");
  expect_refused({"props", "--jobs", "0"}, "--jobs: 0 is not between 1 and 1024");
  expect_refused({"verify", "--require", "none"}, "--require: unknown backend \"none\"");
  expect_refused({"verify", "--backend", "sbox", "--require", "ttable"}, "--require: ttable is not among the backends");
  expect_refused({"verify", "--emulate", "niagara"},
                 "--emulate: unknown emulator \"niagara\"; known: padlock, af_alg, cryptodev, cryptodev-bsd");
  expect_refused({"list", "--emulate", "Padlock"}, "--emulate: unknown emulator \"Padlock\"");
  expect_refused({"perf", "--bytes", "0"}, "--bytes: 0 is not between 1 and");
  expect_refused({"perf", "--bytes", "17", "--mode", "ECB", "--backend", "sbox"}, "a size of 17 bytes, but ECB takes");
  expect_refused({"perf", "--seconds", "never"}, "--seconds: \"never\"");
  expect_refused({"perf", "--direction", "up"}, "--direction: unknown direction \"up\"");
  expect_refused({"perf", "--format", "xml"}, "--format: unknown format \"xml\"; known: table, json, csv,");
  expect_refused({"perf", "--offset", "256"}, "--offset: 256 is more than 255");
  expect_refused({"perf", "--offset", "x"}, "--offset: \"x\"");
  expect_refused({"perf", "--crossover", "aesni", "aesni"}, "crossover: it takes two backends, not 1");
  expect_refused({"perf", "--crossover", "aesni", "sbox", "--format", "csv"}, "--format and --svg are for times;");
  expect_refused({"perf", "--svg", "/no/such/folder/x.svg"}, "--svg: ");
  expect_refused({"perf", "--svg", "-", "--json", "-"}, "--json and --svg: ");
}

TEST_F(BadInput, VariablesThatStandForOptions) {
  expect_refused({"fuzz"}, "AESGATE_SEED: \"0x10\" is no decimal number", {"AESGATE_SEED=0x10"});
  expect_refused({"fuzz"}, "AESGATE_EFFORT: unknown effort \"huge\"; known: ", {"AESGATE_EFFORT=huge"});
  expect_refused({"fuzz"}, "AESGATE_REQUIRE: unknown backend \"none\"", {"AESGATE_REQUIRE=sbox none"});
  expect_refused({"fuzz"}, "AESGATE_VECTORS", {"AESGATE_VECTORS=nowhere"});
  expect_refused({"fuzz"}, "AESGATE_CASES: /proc/self/cases: ", {"AESGATE_CASES=/proc/self/cases"});
  expect_refused({"perf"}, "AESGATE_REQUIRE: unknown backend \"none\"", {"AESGATE_REQUIRE=none"});
}

TEST_F(BadInput, AnUnknownFeatureToHide) {
  write("good.case", appendix_c1("", ciphertext));
  expect_refused({"list", "--cpu-mask", "aes,sse2"}, "--cpu-mask: unknown feature \"sse2\"; known: ssse3, ");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"list"}, {"verify"}, {"perf"}, {"replay", "good.case"}})
    expect_refused(arguments, "AESGATE_CPU_MASK: unknown feature \"foo\"; known: ssse3, ",
                   {"AESGATE_CPU_MASK=aes,foo"});
}

TEST_F(BadInput, FilesAndFolders) {
  write("file", "");
  expect_refused({"kat", "--vectors", "nowhere"}, "nowhere");
  expect_refused({"kat", "--cases", "file"}, "--cases: file: file is no folder");
  expect_refused({"kat", "--cases", "file/cases"}, "--cases: file/cases: file is no folder");
  expect_refused({"kat", "--cases", ""}, "--cases: names no folder");
  for (const char* command : {"kat", "perf"})
    expect_refused({command, "--cases", "/proc/self/cases"}, "--cases: /proc/self/cases: ");
  expect_refused({"kat", "--json", "nowhere/report"}, "--json: nowhere/report: No such file or directory");
  expect_refused({"kat", "--junit", "."}, "--junit: .: is a directory");
  expect_refused({"kat", "--json", "-", "--junit", "-"}, "--junit: standard output is the file of --json too");
  expect_refused({"list", "--json", "nowhere/report"}, "--json: nowhere/report: No such file or directory");
}

TEST_F(BadInput, CaseFiles) {
  const std::string good = appendix_c1("", ciphertext);
  expect_refused({"replay", "none.case"}, "none.case: No such file or directory");
  expect_refused({"replay", "."}, ".: is a directory");
  const auto refuse = [&](const std::string& text, const std::string& what) {
    write("bad.case", text);
    expect_refused({"replay", "bad.case"}, what);
  };
  refuse("", "bad.case:1: mode: the field is missing");
  refuse("nonsense\n" + good, "bad.case:1: ");
  refuse(good + "colour = red\n", "bad.case:6: colour: unknown field");
  refuse(good + "mode = CBC\n", "bad.case:6: mode: the field is there twice");
  refuse("backend = none\n" + good, "bad.case: backend: unknown backend \"none\"");
  refuse("mode = ECB\r\n" + good, "bad.case:1: the line ends in CR LF");
  refuse(std::string("\x7f"
                     "ELF\0\1",
                     6),
         "bad.case:1: byte 0x7f: this is no text file");
  refuse(appendix_c1("", "69c"), "bad.case:5: expected: ");
  refuse(appendix_c1("iv = 00\n", ciphertext), "bad.case:1: iv: ECB has no such field");
  write("good.case", good);
  expect_refused({"replay", "good.case", "bad.case"}, "bad.case:1: iv");
}

TEST_F(BadInput, StandardOutputThatTakesNothing) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"list"}, {"--help"}, {"--version"}, {"verify", "--help"}}) {
    const Ran ran = run(arguments, {}, "/dev/full");
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.err, "aesgate: standard output: No space left on device\n");
  }
}

}  // namespace
}  // namespace aesgate
