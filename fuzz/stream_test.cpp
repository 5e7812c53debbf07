#include "fuzz/stream.h"

#include <gmock/gmock.h>

#include "core/registry.h"
#include "core/session.h"
#include "fuzz/planted.h"
#include "fuzz/prng.h"

namespace aesgate {
namespace {

using Kind = StreamCall::Kind;

constexpr Shape cfb128{Mode::cfb128, Direction::encrypt, KeySize::bits128};
constexpr Shape cbc{Mode::cbc, Direction::decrypt, KeySize::bits256};

StreamCall call(Kind kind, std::size_t context, std::size_t number = 0) {
  StreamCall made;
  made.kind = kind;
  made.context = static_cast<std::uint8_t>(context);
  made.number = static_cast<std::uint16_t>(number);
  return made;
}

/// Two contexts, one after the other, with all that can happen to one.
std::vector<StreamCall> interleaved() {
  return {call(Kind::update, 0, 5),  // of nothing: left out
          call(Kind::start, 0, index(cfb128)),
          call(Kind::update, 0, 7),
          call(Kind::start, 1, index(cbc)),
          call(Kind::refused, 1, 3),
          call(Kind::update, 1, 33),
          call(Kind::chaining_value, 0),
          call(Kind::chaining_value, 1),
          call(Kind::update, 0, 200),
          call(Kind::refused, 0),
          call(Kind::restart, 0),
          call(Kind::update, 0, 16),
          call(Kind::chaining_value, 0),
          call(Kind::finish, 1),
          call(Kind::update, 1, 16)};
}

std::optional<StreamDisagreement> find(Fault fault, const std::vector<StreamCall>& calls, const IsKnown& known = {}) {
  const aesgate_backend* const backends[] = {&planted(fault)};
  auto found = find_stream_disagreement(backends, calls, known);
  EXPECT_TRUE(found) << found.error().message;
  return found ? std::move(*found) : std::nullopt;
}

TEST(stream, every_byte_string_is_one_and_its_calls_live_through_their_bytes) {
  Prng prng(1);
  for (const std::size_t size : {0u, 1u, 3u, 4u, 61u, 256u, 300u}) {
    Bytes bytes(size);
    prng.fill(bytes);
    const auto calls = decode_stream(bytes);
    EXPECT_EQ(calls.size(), std::min(size / 4, most_stream_calls));
    const Bytes once = encode_stream(calls);
    EXPECT_EQ(encode_stream(decode_stream(once)), once);
  }
}

TEST(stream, every_available_backend_agrees) {
  for (const aesgate_backend* backend : built_in_backends()) {
    if (!why_unavailable(*backend).empty()) continue;
    const auto failure = run_stream(*backend, interleaved());
    ASSERT_TRUE(failure) << failure.error().message;
    EXPECT_FALSE(*failure) << backend->name << ": " << (*failure)->judgement.reason;
    Prng prng(7);
    for (int i = 0; i < 20; ++i) {
      Bytes bytes(4 * most_stream_calls);
      prng.fill(bytes);
      const auto random = run_stream(*backend, decode_stream(bytes));
      ASSERT_TRUE(random) << random.error().message;
      EXPECT_FALSE(*random) << backend->name << ": " << (*random)->judgement.reason;
    }
  }
}

TEST(stream, a_fault_of_a_message_becomes_a_reduced_case) {
  const auto found = find(Fault::wrong_tail, interleaved());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "planted; CFB128 encrypt 128; mismatch: output");
  EXPECT_EQ(found->first, found->key);
  ASSERT_TRUE(found->reproducer);
  EXPECT_EQ(found->reproducer->length, 129u);
  EXPECT_EQ(found->reproducer->backend, "planted");
  EXPECT_EQ(check(planted(Fault::wrong_tail), *found->reproducer)->verdict, Verdict::mismatch);
  EXPECT_FALSE(find(Fault::none, interleaved()));
}

TEST(stream, memory_and_refusals_are_looked_at) {
  const auto wrote = find(Fault::writes_past_end, interleaved());
  ASSERT_TRUE(wrote);
  EXPECT_THAT(wrote->line, testing::AnyOf(testing::HasSubstr("SIGSEGV"), testing::HasSubstr("output")));
  const auto refused = find(Fault::takes_any_length, interleaved());
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->line, testing::HasSubstr("should refuse this length"));
  EXPECT_TRUE(refused->reproducer);
  auto at_end = interleaved();
  for (StreamCall& each : at_end) each.input_at_end = true;
  const auto read = find(Fault::reads_past_end, at_end);
  ASSERT_TRUE(read);
  EXPECT_THAT(read->key, testing::HasSubstr("crashed: SIGSEGV"));
  // And nothing of it is left for the next stream.
  EXPECT_FALSE(find(Fault::none, at_end));
}

TEST(stream, what_is_known_is_passed_over) {
  const auto known = [](const std::string& key) { return key == "planted; CFB128 encrypt 128; mismatch: output"; };
  EXPECT_FALSE(find(Fault::wrong_tail, interleaved(), known));
}

}  // namespace
}  // namespace aesgate
