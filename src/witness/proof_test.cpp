#include "witness/proof.h"

#include <gmock/gmock.h>

namespace aesgate::witness {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Shape parallel{Mode::ecb, Direction::encrypt, KeySize::bits128};
const Shape serial{Mode::cbc, Direction::encrypt, KeySize::bits128};

/// A complete call of 64 blocks, all of whose rounds are AES instructions of one width.
CallEvidence aes_call(std::size_t width, std::size_t blocks = 64) {
  CallEvidence call;
  call.end = CallEvidence::End::complete;
  call.right = true;
  call.blocks = call.least_blocks = blocks;
  call.rounds = 10;
  call.counts.steps = 60 * blocks;
  call.counts.aes_instructions = 10 * blocks / lanes_of_width(width);
  call.counts.round_lanes[width] = 9 * blocks;
  call.counts.last_lanes[width] = blocks;
  call.matched[width] = blocks;
  call.first_aes_place = "f (x.cpp:1)";
  return call;
}

CallEvidence table_call(std::size_t blocks = 64) {
  CallEvidence call = aes_call(0, blocks);
  call.counts = {};
  call.counts.steps = call.steps_since_match = 700 * blocks;
  call.matched = {};
  return call;
}

ShapeEvidence evidence_of(const Shape& shape, CallEvidence call) { return {index(shape), std::move(call), {}, {}}; }

ShapeProof judge(std::string_view unit, CallEvidence call, const Shape& shape = parallel) {
  return judge_shape(unit, evidence_of(shape, std::move(call)));
}

TEST(Proof, TheUnitThatRanIsProven) {
  for (const std::size_t width : {0u, 1u, 2u}) {
    const ShapeProof proof = judge(unit_of_width(width), aes_call(width));
    EXPECT_EQ(proof.proof, Proof::proven) << proof.reason;
    EXPECT_EQ(proof.ran, unit_of_width(width));
    EXPECT_EQ(proof.reason, "");
  }
}

TEST(Proof, ANarrowerUnitInBulkRefutes) {
  const ShapeProof proof = judge("vaes.zmm", aes_call(0));
  EXPECT_EQ(proof.proof, Proof::refuted);
  EXPECT_EQ(proof.reason, "64 of 64 blocks ran on aes.xmm");
  EXPECT_EQ(judge("vaes.zmm", aes_call(1)).proof, Proof::refuted);
  EXPECT_EQ(judge("aes.xmm", aes_call(2)).proof, Proof::refuted);
}

TEST(Proof, ATailMayRunNarrower) {
  CallEvidence call = aes_call(2);
  call.matched = {1, 2, 61};
  EXPECT_EQ(judge("vaes.zmm", call).proof, Proof::proven);
  call.matched = {40, 0, 24};
  EXPECT_EQ(judge("vaes.zmm", call).proof, Proof::refuted);
}

TEST(Proof, ALongCallMayShowTheWidth) {
  ShapeEvidence evidence = evidence_of(parallel, aes_call(0));
  evidence.long_call = aes_call(2, 512);
  const ShapeProof proof = judge_shape("vaes.zmm", evidence);
  EXPECT_EQ(proof.proof, Proof::proven);
  EXPECT_EQ(proof.ran, "vaes.zmm");
  EXPECT_EQ(proof.note, "calls of 64 blocks run on aes.xmm, of 512 on vaes.zmm");
  evidence.long_call = aes_call(0, 512);
  EXPECT_EQ(judge_shape("vaes.zmm", evidence).proof, Proof::refuted);
}

TEST(Proof, ASerialModeHasNoWidth) {
  const ShapeProof proof = judge("vaes.zmm", aes_call(0), serial);
  EXPECT_EQ(proof.proof, Proof::proven);
  EXPECT_EQ(proof.ran, "aes.xmm");
}

TEST(Proof, TablesRefuteAnInstruction) {
  for (const char* const unit : {"aes.xmm", "vaes.zmm", "gfni", "xcrypt", "keylocker", "kernel"}) {
    EXPECT_EQ(judge(unit, table_call()).proof, Proof::refuted) << unit;
    EXPECT_EQ(judge(unit, table_call(), serial).proof, Proof::refuted) << unit;
  }
  EXPECT_EQ(judge("aes.xmm", table_call()).reason, "none of its 44800 instructions is an AES instruction");
}

TEST(Proof, APartOfTheBlocksIsNotAll) {
  CallEvidence call = aes_call(0);
  call.matched[0] = call.counts.last_lanes[0] = 63;
  EXPECT_EQ(judge("aes.xmm", call).proof, Proof::refuted);
  EXPECT_EQ(judge("aes.xmm", call).reason, "AES instructions did 63 of 64 blocks");
}

TEST(Proof, ADecoyIsNotTheMessage) {
  CallEvidence call = aes_call(0);
  call.matched = {};
  const ShapeProof proof = judge("aes.xmm", call);
  EXPECT_EQ(proof.proof, Proof::refuted);
  EXPECT_THAT(proof.reason, HasSubstr("its answers come from elsewhere"));
}

TEST(Proof, ADecoyBesideSlowSoftwareIsNotTheMessage) {
  CallEvidence call = aes_call(0);
  call.end = CallEvidence::End::cut_short;
  call.matched = {};
  call.counts.steps = call.steps_since_match = 1u << 16;
  EXPECT_EQ(judge("aes.xmm", call).proof, Proof::refuted);
  call.matched[0] = 1;
  EXPECT_EQ(judge("aes.xmm", call).proof, Proof::refuted) << "one block, and then nothing for long";
  call.steps_since_match = 1000;
  EXPECT_EQ(judge("aes.xmm", call).proof, Proof::consistent);
}

/// Evidence for `unit`, of which a call of another kind is `other`.
ShapeEvidence with_further(CallEvidence call, CallEvidence other) {
  ShapeEvidence evidence = evidence_of(parallel, std::move(call));
  evidence.further_calls.push_back({{.is_long = true, .is_second = true}, std::move(other)});
  return evidence;
}

TEST(Proof, AClaimHoldsForCallsOfAllKinds) {
  EXPECT_EQ(judge_shape("aes.xmm", with_further(aes_call(0), aes_call(0, 256))).proof, Proof::proven);
  const ShapeProof tables = judge_shape("aes.xmm", with_further(aes_call(0), table_call(256)));
  EXPECT_EQ(tables.proof, Proof::refuted);
  EXPECT_EQ(tables.reason,
            "in a call of 256 blocks (long, second of its message) none of its 179200 instructions is an AES "
            "instruction");
  CallEvidence beginning = table_call(256);
  beginning.end = CallEvidence::End::cut_short;
  EXPECT_EQ(judge_shape("aes.xmm", with_further(aes_call(0), beginning)).proof, Proof::refuted);
  beginning.counts.steps = 500;
  EXPECT_EQ(judge_shape("aes.xmm", with_further(aes_call(0), beginning)).proof, Proof::proven) << "it may still come";
  beginning = aes_call(0, 256);
  beginning.end = CallEvidence::End::cut_short;
  beginning.matched[0] = 30;
  EXPECT_EQ(judge_shape("aes.xmm", with_further(aes_call(0), beginning)).proof, Proof::proven);
  EXPECT_EQ(judge_shape("vaes.zmm", with_further(aes_call(2), beginning)).proof, Proof::refuted) << "a long call";
  EXPECT_EQ(judge_shape("vaes.zmm", with_further(aes_call(2), aes_call(0, 16))).proof, Proof::proven) << "a short one";
}

TEST(Proof, GfniAndPadLockHoldForCallsOfAllKinds) {
  CallEvidence gfni = table_call(), xcrypt = table_call();
  gfni.counts.galois_instructions = 160;
  gfni.counts.galois_inverse_lanes = {0, 0, 640};
  xcrypt.counts.aes_instructions = xcrypt.counts.xcrypt_instructions = 1;
  xcrypt.counts.xcrypt_blocks = 64;
  for (const auto& [unit, call] : {std::pair{"gfni", gfni}, std::pair{"xcrypt", xcrypt}}) {
    EXPECT_EQ(judge_shape(unit, with_further(call, call)).proof, Proof::proven) << unit;
    EXPECT_EQ(judge_shape(unit, with_further(call, table_call())).proof, Proof::refuted) << unit;
  }
}

TEST(Proof, AnUnseenCallOfAnotherKindIsUnknown) {
  CallEvidence other = aes_call(0);
  other.right = false;
  EXPECT_EQ(judge_shape("aes.xmm", with_further(aes_call(0), other)).proof, Proof::unknown);
  other.end = CallEvidence::End::unseen;
  other.reason = "a reason";
  const ShapeProof proof = judge_shape("aes.xmm", with_further(aes_call(0), other));
  EXPECT_EQ(proof.proof, Proof::unknown);
  EXPECT_EQ(proof.reason, "of a call (long, second of its message): a reason");
}

TEST(Proof, ALastRoundAloneIsNotAll) {
  CallEvidence call = aes_call(0);
  call.counts.round_lanes = {};
  EXPECT_EQ(judge("aes.xmm", call).proof, Proof::refuted);
  EXPECT_EQ(judge("aes.xmm", call).reason, "AES instructions did 64 rounds of 64 blocks, which have 640");
}

TEST(Proof, FewerThanAVectorMoreAreRight) {
  CallEvidence call = aes_call(2, 62);
  call.counts.last_lanes = {0, 0, 64};
  EXPECT_EQ(judge("vaes.zmm", call).proof, Proof::proven);
  call.counts.last_lanes = {0, 0, 66};
  EXPECT_EQ(judge("vaes.zmm", call).proof, Proof::consistent);
}

TEST(Proof, SoftwareRunsNoAesInstruction) {
  EXPECT_EQ(judge("none", table_call()).proof, Proof::proven);
  EXPECT_EQ(judge("none", table_call()).ran, "none");
  CallEvidence one = table_call();
  one.counts.aes_instructions = 1;
  EXPECT_EQ(judge("none", one).proof, Proof::refuted);
  EXPECT_EQ(judge("none", one).reason, "it ran 1 AES instruction, the first in f (x.cpp:1)");
  EXPECT_EQ(judge("gfni", one).proof, Proof::refuted);
}

TEST(Proof, SoftwareThatIsQuickInLongCallsIsSeenThere) {
  ShapeEvidence evidence = evidence_of(parallel, table_call(1));
  evidence.long_call = aes_call(0, 512);
  const ShapeProof proof = judge_shape("none", evidence);
  EXPECT_EQ(proof.proof, Proof::refuted);
  EXPECT_THAT(proof.reason, StartsWith("in a call of 512 blocks it ran 5120 AES instructions"));
}

TEST(Proof, WhatWasNotSeenToItsEndIsNotProven) {
  CallEvidence call = table_call();
  call.end = CallEvidence::End::cut_short;
  EXPECT_EQ(judge("none", call).proof, Proof::consistent);
  for (const char* const unit : {"aes.xmm", "gfni", "xcrypt", "kernel"})
    EXPECT_EQ(judge(unit, call).proof, Proof::refuted) << "so long a call without " << unit;
  call.counts.steps = call.steps_since_match = 200;
  for (const char* const unit : {"aes.xmm", "gfni", "xcrypt", "kernel"})
    EXPECT_EQ(judge(unit, call).proof, Proof::consistent) << "it may still come: " << unit;
  call.counts.aes_instructions = 5;
  EXPECT_EQ(judge("aes.xmm", call).proof, Proof::consistent);
  call.end = CallEvidence::End::unseen;
  call.reason = "a reason";
  for (const char* const unit : {"none", "aes.xmm", "kernel", "any"}) {
    EXPECT_EQ(judge(unit, call).proof, Proof::unknown);
    EXPECT_EQ(judge(unit, call).reason, "a reason");
  }
}

TEST(Proof, AWrongAnswerProvesNothing) {
  CallEvidence call = aes_call(0);
  call.right = false;
  EXPECT_EQ(judge("aes.xmm", call).proof, Proof::unknown);
}

TEST(Proof, OtherThreadsAreNotSeen) {
  CallEvidence call = table_call();
  call.counts.system_calls = call.counts.thread_calls = 1;
  for (const char* const unit : {"none", "aes.xmm", "kernel", "any", "xcrypt"})
    EXPECT_EQ(judge(unit, call).proof, Proof::consistent) << unit;
}

TEST(Proof, GfniInvertsOnceARoundAndBlock) {
  CallEvidence call = table_call();
  call.counts.galois_instructions = 160;
  call.counts.galois_inverse_lanes = {0, 0, 640};
  EXPECT_EQ(judge("gfni", call).proof, Proof::proven);
  EXPECT_EQ(judge("none", call).proof, Proof::proven) << "it is no AES instruction";
  EXPECT_NE(judge("none", call).note, "");
  call.counts.galois_inverse_lanes = {0, 0, 320};
  EXPECT_EQ(judge("gfni", call).proof, Proof::refuted);
  call.counts.galois_inverse_lanes = {};
  EXPECT_EQ(judge("gfni", call).proof, Proof::consistent);
}

TEST(Proof, PadLockCountsItsBlocks) {
  CallEvidence call = table_call();
  call.counts.aes_instructions = call.counts.xcrypt_instructions = 1;
  call.counts.xcrypt_blocks = 64;
  EXPECT_EQ(judge("xcrypt", call).proof, Proof::proven);
  EXPECT_EQ(judge("none", call).proof, Proof::refuted);
  call.counts.xcrypt_blocks = 63;
  EXPECT_EQ(judge("xcrypt", call).proof, Proof::refuted);
}

TEST(Proof, TheKernelWasAskedIfThereWasNoTimeForAnythingElse) {
  CallEvidence call = table_call();
  call.counts.system_calls = 2;
  EXPECT_EQ(judge("kernel", call).proof, Proof::consistent);
  call.counts.steps = 500;
  EXPECT_EQ(judge("kernel", call).proof, Proof::proven);
  EXPECT_EQ(judge("kernel", call).ran, "kernel");
  EXPECT_EQ(judge("none", call).proof, Proof::consistent);
  call.counts.system_calls = 0;
  EXPECT_EQ(judge("kernel", call).proof, Proof::refuted);
  CallEvidence own = aes_call(0);
  own.counts.system_calls = 2;
  EXPECT_EQ(judge("kernel", own).proof, Proof::refuted);
}

TEST(Proof, ALibraryIsTakenAtWhatItRan) {
  EXPECT_EQ(judge("any", aes_call(1)).proof, Proof::proven);
  EXPECT_EQ(judge("any", aes_call(1)).ran, "vaes.ymm");
  EXPECT_EQ(judge("any", table_call()).ran, "none");
  CallEvidence some = aes_call(0);
  some.matched[0] = 32;
  EXPECT_EQ(judge("any", some).proof, Proof::consistent);
}

TEST(Proof, AWordThatNobodyKnowsIsNotRefuted) {
  const ShapeProof proof = judge("armv8.aese", table_call());
  EXPECT_EQ(proof.proof, Proof::unknown);
  EXPECT_THAT(proof.reason, HasSubstr("\"armv8.aese\" is no unit that can be seen"));
  EXPECT_EQ(judge("warp-drive", aes_call(0)).proof, Proof::unknown);
}

TEST(Proof, WhatIsCutShortIsJudgedByTheRestOfItsMode) {
  CallEvidence cut = table_call();
  cut.end = CallEvidence::End::cut_short;
  const Shape other{Mode::ecb, Direction::decrypt, KeySize::bits256};
  const std::vector<ShapeProof> same_mode{judge("none", table_call()), judge("none", cut, other)};
  EXPECT_EQ(conclude("none", same_mode).proof, Proof::proven);
  EXPECT_NE(conclude("none", same_mode).notes.size(), 0u);
  EXPECT_EQ(conclude("none", {judge("none", table_call()), judge("none", cut, serial)}).proof, Proof::consistent);
  EXPECT_EQ(conclude("none", {judge("none", cut)}).proof, Proof::consistent);
  CallEvidence bad = cut;
  bad.counts.aes_instructions = 1;
  EXPECT_EQ(conclude("none", {judge("none", table_call()), judge("none", bad, other)}).proof, Proof::refuted);
}

TEST(Proof, OneShapeRefutesABackend) {
  const ShapeProof good = judge("vaes.zmm", aes_call(2)), bad = judge("vaes.zmm", table_call(), serial);
  const BackendProof refuted = conclude("vaes.zmm", {good, bad, good});
  EXPECT_EQ(refuted.proof, Proof::refuted);
  EXPECT_THAT(refuted.reason, StartsWith("CBC encrypt 128: says vaes.zmm, but none of its"));
  EXPECT_THAT(refuted.reason, HasSubstr("(so in 1 of 3 shapes)"));
  const BackendProof proven = conclude("vaes.zmm", {good, judge("vaes.zmm", aes_call(0), serial)});
  EXPECT_EQ(proven.proof, Proof::proven);
  EXPECT_EQ(proven.ran, "vaes.zmm; aes.xmm in 1 of 2 shapes");
  EXPECT_EQ(conclude("vaes.zmm", {}).proof, Proof::unknown);
  CallEvidence unseen;
  unseen.reason = "its process ended by SIGSEGV";
  EXPECT_EQ(conclude("vaes.zmm", {good, judge("vaes.zmm", unseen)}).proof, Proof::unknown);
  EXPECT_EQ(conclude("vaes.zmm", {judge("vaes.zmm", unseen), bad}).proof, Proof::refuted) << "the worst of them";
}

}  // namespace
}  // namespace aesgate::witness
