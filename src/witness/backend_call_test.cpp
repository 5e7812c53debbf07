#include "witness/backend_call.h"

#include <gmock/gmock.h>

#include "core/registry.h"
#include "core/session.h"
#include "witness/backend_witness.h"
#include "witness/proof.h"
#include "witness/single_step.h"

namespace aesgate::witness {
namespace {

using std::chrono::seconds;

/// Shapes of a backend that says that it runs on `unit`.
class BackendCall : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_single_steps(); !why.empty()) GTEST_SKIP() << why;
  }

  static ShapeProof judged(const char* name, const Shape& shape, const char* unit = nullptr) {
    aesgate_backend backend = **find_backend(name);
    if (unit != nullptr) backend.unit = unit;
    if (!why_unavailable(backend).empty()) return {0, Proof::proven, backend.unit, "", "unavailable"};
    StepBudget budget = WitnessRequest::thorough();
    return judge_shape(backend.unit, witness_shape(backend, index(shape), budget, seconds(20)));
  }

  static constexpr Shape ecb{Mode::ecb, Direction::encrypt, KeySize::bits256};
};

TEST_F(BackendCall, WhatIsBuiltInRunsOnWhatItSays) {
  for (const char* const name : {"aesni", "gfni", "vaes512"})
    for (const Mode mode : {Mode::cbc, Mode::cfb8, Mode::ofb}) {
      const ShapeProof proof = judged(name, {mode, Direction::decrypt, KeySize::bits192});
      EXPECT_EQ(proof.proof, Proof::proven) << name << ' ' << proof.reason;
    }
}

TEST_F(BackendCall, AWrongWordIsRefuted) {
  for (const char* const unit : {"aes.xmm", "xcrypt"})
    EXPECT_EQ(judged("ttable", ecb, unit).proof, Proof::refuted) << unit;
  if (!why_unavailable(**find_backend("aesni")).empty()) GTEST_SKIP() << "this CPU has no AES-NI";
  for (const char* const unit : {"none", "vaes.zmm", "gfni"})
    EXPECT_EQ(judged("aesni", ecb, unit).proof, Proof::refuted) << unit;
  const ShapeProof any = judged("aesni", ecb, "any");
  EXPECT_EQ(any.proof, Proof::proven);
  EXPECT_EQ(any.ran, "aes.xmm");
  EXPECT_EQ(judged("aesni", ecb, "something").proof, Proof::unknown);
}

TEST_F(BackendCall, TheBudgetEndsACall) {
  StepBudget budget{1000, 1000, 50, 50, 0};
  const ShapeEvidence first = witness_shape(**find_backend("sbox"), index(ecb), budget, seconds(20));
  EXPECT_EQ(first.call.end, CallEvidence::End::cut_short);
  EXPECT_EQ(first.call.counts.steps, 1000u);
  EXPECT_EQ(budget.left, 0u);
  const ShapeEvidence next = witness_shape(**find_backend("sbox"), index(ecb), budget, seconds(20));
  EXPECT_EQ(next.call.counts.steps, 50u);
}

TEST_F(BackendCall, FurtherCallsAreRightAndOfTheirKind) {
  const aesgate_backend& aesni = **find_backend("aesni");
  if (!why_unavailable(aesni).empty()) GTEST_SKIP() << "this CPU has no AES-NI";
  StepBudget budget = WitnessRequest::thorough();
  EXPECT_GT(WitnessRequest::quick({}, {}).budget.further, 0u) << "looked at by verify too";
  for (const Mode mode : all_modes) {
    const Shape shape{mode, Direction::decrypt, KeySize::bits192};
    const std::size_t shapes[] = {index(shape)};
    const auto kinds = further_calls(shapes);
    for (const CallKind& kind : kinds[0]) {
      const CallEvidence call = witness_further(aesni, index(shape), kind, budget, seconds(20)).call;
      EXPECT_TRUE(call.right) << name(shape) << ": " << to_text(kind);
      EXPECT_NE(call.end, CallEvidence::End::unseen) << call.reason;
      EXPECT_GT(call.matched[0], 0u) << name(shape) << ": " << to_text(kind);
      EXPECT_LT(call.counts.steps, 4 * budget.further) << "it ends soon after it has begun as claimed";
      if (call.end == CallEvidence::End::complete) {
        EXPECT_GE(call.matched[0], call.least_blocks);
      }
      EXPECT_EQ(call.blocks >= 256, kind.is_long);
    }
  }
}

}  // namespace
}  // namespace aesgate::witness
