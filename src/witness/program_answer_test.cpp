#include "witness/program_answer.h"

#include <cerrno>

#include <gmock/gmock.h>

namespace aesgate::witness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A run as it is seen where all can be seen: of a program that did nothing with AES, in 100 samples.
TracedRun quiet_run(std::vector<std::string> arguments) {
  TracedRun run;
  run.arguments = arguments;
  run.commands = {std::move(arguments)};
  run.traced = run.calls_seen = true;
  run.wall_seconds = run.user_seconds = 1;
  run.processes = run.threads = 1;
  run.samples.samples = 100;
  run.samples.instructions = 4800;
  run.samples.objects[run.objects->number_of(0, "/nonexistent/libcrypto.so.3", "00:00", 1)].samples = 100;
  return run;
}

AesOpcode opcode(AesOperation operation, std::uint8_t lanes, Encoding encoding) {
  AesOpcode made;
  made.operation = operation;
  made.lanes = lanes;
  made.encoding = encoding;
  made.length = 5;
  return made;
}

/// The same, in which AES-128 ran, one block at a time.
TracedRun aes_run(std::vector<std::string> arguments) {
  TracedRun run = quiet_run(std::move(arguments));
  ObjectTally& tally = run.samples.objects[0];
  run.samples.aes_samples = tally.aes_samples = 90;
  tally.cipher_samples = 88;
  run.samples.aes_instructions = 1000;
  tally.aes[0x100] = {opcode(AesOperation::round, 1, Encoding::legacy), 900};
  tally.aes[0x105] = {opcode(AesOperation::last_round, 1, Encoding::legacy), 100};
  tally.rounds[{10, 1}] = 8;
  return run;
}

ProgramVerdict judged(const char* claim, const TracedRun& run) { return judge_claim(claim, answer(run), run).verdict; }

TEST(ProgramAnswer, NamesTheAlgorithmThatWasAskedForIfItsRoundsWereSeen) {
  const auto found = [](const char* algorithm) {
    return answer(aes_run({"openssl", "speed", "-evp", algorithm})).found;
  };
  EXPECT_EQ(found("aes-128-cbc"), "AES-128-CBC ran in libcrypto.so.3 on AESENC (xmm), one block at a time");
  EXPECT_THAT(found("aes-256-cbc"), HasSubstr("AES-128 (the command says AES-256-CBC) ran in libcrypto.so.3"));
  EXPECT_THAT(found("sha256"), HasSubstr("AES-128 ran in libcrypto.so.3"));
}

TEST(ProgramAnswer, WithoutRoundsTheKeySizeIsOnlyWhatTheCommandSays) {
  TracedRun run = aes_run({"openssl", "speed", "-evp", "aes-256-cbc"});
  run.samples.objects[0].rounds.clear();
  EXPECT_THAT(answer(run).found, HasSubstr("AES (the command says AES-256-CBC) ran in"));
}

TEST(ProgramAnswer, KeySetUpAloneIsNoEncryption) {
  TracedRun run = aes_run({"program"});
  run.samples.objects[0].aes = {{0x100, {opcode(AesOperation::key_assist, 1, Encoding::legacy), 10}}};
  run.samples.objects[0].rounds.clear();
  EXPECT_EQ(answer(run).found, "AES keys were set up in libcrypto.so.3 by AESKEYGENASSIST (xmm)");
  EXPECT_EQ(judged("aes.xmm", run), ProgramVerdict::refuted);
}

// As hashes do: one AESENC after another.
TEST(ProgramAnswer, AesInstructionsAloneAreNoAes) {
  TracedRun run = aes_run({"program"});
  run.samples.objects[0].cipher_samples = 0;
  run.samples.objects[0].rounds.clear();
  const ProgramAnswer said = answer(run);
  EXPECT_EQ(said.verdict, ProgramVerdict::unknown);
  EXPECT_EQ(said.found, "AES instructions ran in libcrypto.so.3, AESENC (xmm), but no cipher's rounds were seen");
  EXPECT_EQ(judged("aes.xmm", run), ProgramVerdict::unknown);
  EXPECT_EQ(judged("aes", run), ProgramVerdict::unknown);
  EXPECT_EQ(judged("none", run), ProgramVerdict::refuted);
  EXPECT_EQ(judged("kernel", run), ProgramVerdict::refuted);
}

TEST(ProgramAnswer, WhatWasNotSeenIsBoundedAndNotAbsent) {
  const ProgramAnswer said = answer(quiet_run({"openssl", "speed", "-evp", "aes-128-cbc"}));
  EXPECT_EQ(said.verdict, ProgramVerdict::consistent);
  EXPECT_THAT(said.found, HasSubstr("no AES instruction was seen: 100 of 100 samples began in libcrypto.so.3"));
  EXPECT_THAT(said.found, HasSubstr("less than 3 % of its time; AES-128-CBC ran in software, or not on the CPU"));
}

TEST(ProgramAnswer, FewSamplesAreUnknown) {
  TracedRun run = quiet_run({"program"});
  run.samples.samples = enough_samples - 1;
  EXPECT_EQ(answer(run).verdict, ProgramVerdict::unknown);
  EXPECT_EQ(
      answer(run).found,
      "whether AES instructions ran: none was seen, but 28 samples in 1.000 s of CPU time are too few to say that "
      "none ran; 29 are needed: let it run 2 times as long, or where less else runs");
  EXPECT_THAT(judge_claim("none", answer(run), run).why,
              HasSubstr("in 28 samples: 29 are needed: let it run 2 times as long, or where less else runs"));
  run.samples.samples = 0;
  run.samples.objects.clear();
  EXPECT_THAT(answer(run).found, HasSubstr("too short for a sample"));
  run.samples.in_kernel = 3;
  EXPECT_THAT(answer(run).found, HasSubstr("was in the kernel whenever it was looked at"));
  run.samples.not_stepped["it runs 32-bit code"] = 3;
  EXPECT_THAT(answer(run).found, HasSubstr("could not be stepped: it runs 32-bit code"));
  run.why_no_samples = "ptrace() is forbidden here";
  EXPECT_THAT(answer(run).found, HasSubstr("ptrace() is forbidden here"));
}

TEST(ProgramAnswer, SamplesWhereACallReturnedAreNoShareOfTime) {
  TracedRun run = quiet_run({"program"});
  run.samples.after_calls = run.samples.samples - enough_samples;
  EXPECT_EQ(judged("none", run), ProgramVerdict::consistent);
  ++run.samples.after_calls;
  EXPECT_EQ(answer(run).verdict, ProgramVerdict::unknown);
  EXPECT_EQ(judged("none", run), ProgramVerdict::unknown);
}

TEST(ProgramAnswer, WhatWasOnlyPartlySteppedIsUnknown) {
  TracedRun run = quiet_run({"program"});
  run.samples.not_stepped["it ignores SIGTRAP, which a step would change"] = 1;
  EXPECT_EQ(answer(run).verdict, ProgramVerdict::unknown);
  EXPECT_THAT(answer(run).found, HasSubstr("none was seen, but not all of it could be stepped: it ignores SIGTRAP"));
  EXPECT_THAT(judge_claim("none", answer(run), run).why, HasSubstr("it ignores SIGTRAP"));
  EXPECT_EQ(judged("none", run), ProgramVerdict::unknown);
}

TEST(ProgramAnswer, AnEngineThatCouldNotReachTheKernel) {
  TracedRun run = aes_run({"openssl", "speed", "-engine", "afalg", "-evp", "aes-128-cbc"});
  run.traffic.modules["/usr/lib/engines-3/afalg.so"].add(3);
  run.traffic.af_alg_sockets.add(-EAFNOSUPPORT);
  EXPECT_THAT(
      answer(run).kernel,
      ElementsAre("0 kernel crossings for AES",
                  "the engine `afalg` was asked for and is unavailable: socket(AF_ALG) failed with EAFNOSUPPORT; "
                  "the run went on in software, on the CPU",
                  "engines and providers loaded: afalg.so"));
}

TEST(ProgramAnswer, AnEngineThatIsNotInstalled) {
  TracedRun run = aes_run({"openssl", "speed", "-engine", "pkcs11"});
  run.traffic.modules["/usr/lib/engines-3/pkcs11.so"].add(-ENOENT);
  EXPECT_THAT(answer(run).kernel,
              testing::Contains(HasSubstr("/usr/lib/engines-3/pkcs11.so could not be opened (ENOENT)")));
}

TEST(ProgramAnswer, WhatTheKernelDidIsProven) {
  TracedRun run = quiet_run({"openssl", "speed", "-engine", "afalg", "-evp", "aes-128-cbc"});
  run.traffic.af_alg_sockets.add(5);
  run.traffic.af_alg_binds["skcipher cbc(aes)"].add(0);
  run.traffic.af_alg_requests["skcipher cbc(aes)"] = 120;
  EXPECT_EQ(answer(run).verdict, ProgramVerdict::proven);
  EXPECT_EQ(answer(run).found, "the kernel was asked for AES: AF_ALG, skcipher cbc(aes), 120 requests");
  EXPECT_EQ(judged("kernel", run), ProgramVerdict::proven);
  EXPECT_EQ(judged("none", run), ProgramVerdict::refuted);
}

TEST(ProgramAnswer, TheKernelsOtherCiphersAreNoAes) {
  TracedRun run = quiet_run({"sha256sum"});
  run.traffic.af_alg_sockets.add(3);
  run.traffic.af_alg_requests["hash sha256"] = 7;
  run.traffic.crypto_sessions["cipher 2"].add(0);
  run.traffic.crypto_ioctls[0xc0486368].add(0);  // CIOCCRYPT
  EXPECT_EQ(run.traffic.crossings(), 0u);
  EXPECT_THAT(answer(run).kernel, ElementsAre("0 kernel crossings for AES", "7 requests to AF_ALG for hash sha256",
                                              "/dev/crypto, cipher 2, 1 CIOCCRYPT"));
  EXPECT_EQ(judged("kernel", run), ProgramVerdict::refuted);
  run.traffic.crypto_sessions["AES-CBC"].add(0);
  EXPECT_EQ(answer(run).found, "the kernel was asked for AES: /dev/crypto, AES-CBC, cipher 2, 1 CIOCCRYPT");
}

TEST(ProgramAnswer, CallsThatWereNotSeenAreNotCalledNone) {
  TracedRun run = aes_run({"program"});
  run.calls_seen = false;
  EXPECT_THAT(answer(run).kernel, IsEmpty());
  EXPECT_THAT(answer(run).paragraph(), Not(HasSubstr("0 kernel crossings")));
  EXPECT_THAT(answer(run).paragraph(), HasSubstr("Not seen: system calls"));
  EXPECT_EQ(judged("kernel", run), ProgramVerdict::unknown);
}

TEST(ProgramClaim, AnInstructionIsHeldToItsUnit) {
  TracedRun run = aes_run({"program"});
  EXPECT_EQ(judged("aes", run), ProgramVerdict::proven);
  EXPECT_EQ(judged("aes.xmm", run), ProgramVerdict::proven);
  EXPECT_EQ(judged("vaes.zmm", run), ProgramVerdict::refuted);
  EXPECT_EQ(judged("none", run), ProgramVerdict::refuted);
  EXPECT_EQ(judged("kernel", run), ProgramVerdict::refuted);
  // By blocks and not by instructions: 300 of four are more than 1000 of one.
  run.samples.objects[0].aes[0x200] = {opcode(AesOperation::round, 4, Encoding::evex), 300};
  EXPECT_EQ(judged("vaes.zmm", run), ProgramVerdict::proven);
}

TEST(ProgramClaim, AbsenceTakesEnoughSamples) {
  TracedRun run = quiet_run({"program"});
  EXPECT_EQ(judged("aes", run), ProgramVerdict::refuted);
  EXPECT_EQ(judged("none", run), ProgramVerdict::consistent);
  run.samples.samples = enough_samples - 1;
  EXPECT_EQ(judged("aes", run), ProgramVerdict::unknown);
  EXPECT_EQ(judged("none", run), ProgramVerdict::unknown);
  EXPECT_LT(most_unseen(enough_samples), 0.1);
  EXPECT_GE(most_unseen(enough_samples - 1), 0.1);
}

}  // namespace
}  // namespace aesgate::witness
