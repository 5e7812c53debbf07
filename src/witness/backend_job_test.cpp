#include "witness/backend_job.h"

#include <gmock/gmock.h>

namespace aesgate::witness {
namespace {

TEST(BackendJob, ComesThroughAsText) {
  const BackendJob job{7, "/a/plugin.so", "name:options", {0, 35}, {1, 2, 3, 4, 5}, std::chrono::seconds(9)};
  const auto read = parse_backend_job(to_text(job));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->parent, 7);
  EXPECT_EQ(read->plugin, job.plugin);
  EXPECT_EQ(read->backend, job.backend);
  EXPECT_EQ(read->shapes, job.shapes);
  EXPECT_EQ(read->budget.beginning, 4u);
  EXPECT_EQ(read->budget.further, 5u);
  EXPECT_EQ(read->limit.count(), 9);
  EXPECT_FALSE(parse_backend_job("{}"));
  EXPECT_FALSE(parse_backend_job("nothing"));
}

TEST(BackendAnswer, IsReadAsFarAsItCame) {
  ShapeEvidence evidence;
  evidence.shape = 3;
  evidence.call.end = CallEvidence::End::complete;
  evidence.call.blocks = 64;
  evidence.call.counts.last_lanes = {1, 2, 3};
  evidence.long_call = evidence.call;
  evidence.further_calls.push_back({{.in_place = true}, evidence.call});
  const std::string text = backend_line("remark", "by a driver") + "printed by a backend" + unsupported_line(1) +
                           evidence_line(evidence) + backend_line("interrupt", "caam: 2");
  const BackendAnswer answer = parse_backend_answer(text);
  EXPECT_FALSE(answer.complete);
  EXPECT_EQ(answer.remark, "by a driver");
  EXPECT_THAT(answer.unsupported, testing::ElementsAre(1));
  EXPECT_THAT(answer.interrupts, testing::ElementsAre("caam: 2"));
  ASSERT_EQ(answer.shapes.size(), 1u);
  EXPECT_EQ(answer.shapes[0].shape, 3u);
  EXPECT_EQ(answer.shapes[0].call.counts.last_lanes, (ByWidth{1, 2, 3}));
  ASSERT_TRUE(answer.shapes[0].long_call);
  ASSERT_EQ(answer.shapes[0].further_calls.size(), 1u);
  EXPECT_EQ(answer.shapes[0].further_calls[0].kind, (CallKind{.in_place = true}));
  EXPECT_EQ(answer.shapes[0].further_calls[0].call.blocks, 64u);
  EXPECT_TRUE(parse_backend_answer(text + end_line()).complete);
  EXPECT_NE(parse_backend_answer("aesgate-witness {\"shape\": 1}").failed, "");
}

}  // namespace
}  // namespace aesgate::witness
