#include "isolation/message.h"

#include <gtest/gtest.h>

namespace aesgate {
namespace {

Case full_case() {
  Case c = make_case({Mode::cfb1, Direction::decrypt, KeySize::bits192}, Key(KeySize::bits192), Block{1, 2, 3},
                     Bytes{0xab, 0xcd}, 13);
  c.key.bytes()[5] = 9;
  c.chunks = {3, 0, 10};
  c.placement = {.in_place = true,
                 .input = {Spot::Edge::end, 255},
                 .output = {Spot::Edge::start, 7},
                 .key = {Spot::Edge::end, 0},
                 .iv = {Spot::Edge::start, 1},
                 .context = {Spot::Edge::start, 2}};
  c.conditions = {
      .memory = Conditions::Memory::restarted, .company = 3, .threads = 2, .timer = true, .migration = true};
  return c;
}

Outcome full_outcome() {
  Outcome outcome;
  outcome.status = Status{17};
  outcome.call = "update() 1, of 3 at 0";
  outcome.accepted = true;
  outcome.reason = "why";
  outcome.crash = Crash{11, "what", nullptr, Crash::Access::write};
  outcome.crash_place = "a place";
  outcome.output = {1, 2, 3};
  outcome.chaining_values = {{0, Status::ok, Block{7}}, {3, Status::unsupported, Block{8}}};
  outcome.damage = {{"input", -4, 0xdb, 1, "start()"}};
  outcome.breaches = {{"direction flag", "finish()", "expected clear, got set"}};
  outcome.warnings = {"update() 1, of 3 at 0", "start(): the key"};
  outcome.time_taken = std::chrono::microseconds(1234);
  outcome.cut_short = Verdict::declined;
  return outcome;
}

Bytes message_of(const auto& value) {
  MessageWriter writer;
  write(writer, value);
  return {writer.message().begin(), writer.message().end()};
}

TEST(isolation_message, a_case_arrives_as_it_was_sent) {
  const Case sent = full_case();
  const Bytes message = message_of(sent);
  MessageReader reader(message);
  const auto got = read_case(reader);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->shape, sent.shape);
  EXPECT_TRUE(std::ranges::equal(got->key.bytes(), sent.key.bytes()));
  EXPECT_EQ(got->iv, sent.iv);
  EXPECT_EQ(got->input, sent.input);
  EXPECT_EQ(got->length, sent.length);
  EXPECT_EQ(got->chunks, sent.chunks);
  EXPECT_EQ(got->placement, sent.placement);
  EXPECT_EQ(got->conditions, sent.conditions);
  EXPECT_EQ(got->monte_carlo_steps, 0u);
}

TEST(isolation_message, an_outcome_arrives_as_it_was_sent) {
  const Outcome sent = full_outcome();
  const Bytes message = message_of(sent);
  MessageReader reader(message);
  const auto got = read_outcome(reader);
  ASSERT_TRUE(got);
  EXPECT_EQ(message_of(*got), message);
  EXPECT_EQ(got->status, Status{17});
  EXPECT_EQ(got->crash->access, Crash::Access::write);
  EXPECT_EQ(got->crash->exception, "what");
  EXPECT_TRUE(got->accepted);
  EXPECT_EQ(got->chaining_values[1].position, 3u);
  EXPECT_EQ(got->damage[0].offset, -4);
  EXPECT_EQ(got->breaches[0].detail, "expected clear, got set");
  EXPECT_EQ(got->warnings, sent.warnings);
  EXPECT_EQ(got->time_taken, sent.time_taken);
  EXPECT_EQ(got->cut_short, Verdict::declined);
}

// A worker's memory belongs to the backend under test.
TEST(isolation_message, no_message_that_ends_early_or_late_is_taken) {
  const Bytes whole = message_of(full_outcome());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    MessageReader reader(ByteView(whole).first(size));
    EXPECT_FALSE(read_outcome(reader)) << size;
  }
  Bytes longer = whole;
  longer.push_back(0);
  MessageReader reader(longer);
  EXPECT_FALSE(read_outcome(reader));
}

TEST(isolation_message, no_count_or_length_is_believed) {
  const Bytes whole = message_of(full_outcome());
  for (std::size_t at = 0; at + 8 <= whole.size(); ++at) {
    Bytes wrong = whole;
    std::fill_n(wrong.begin() + static_cast<std::ptrdiff_t>(at), 8, 0xff);
    MessageReader reader(wrong);
    if (const auto got = read_outcome(reader)) {
      EXPECT_LE(got->output.size(), whole.size());
    }
  }
}

TEST(isolation_message, a_case_that_breaks_its_own_rules_is_none) {
  Case c = full_case();
  c.chunks = {3, 11};
  const Bytes message = message_of(c);
  MessageReader reader(message);
  EXPECT_FALSE(read_case(reader));
}

TEST(isolation_message, control_characters_do_not_arrive) {
  Outcome sent;
  sent.reason = "a\nb\x1b[31m";
  const Bytes message = message_of(sent);
  MessageReader reader(message);
  EXPECT_EQ(read_outcome(reader)->reason, "a?b?[31m");
}

}  // namespace
}  // namespace aesgate
