#include "core/execute.h"

#include <cstring>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "core/abi_watch.h"
#include "core/guarded_buffer.h"
#include "core/judge.h"
#include "core/message.h"

// A backend that is no cipher, driven by execute(): its output is its input, and one misdeed a test.
namespace aesgate {
namespace {

struct Context {
  std::uint8_t iv[16];
};

// What the backend under test does beside copying, in update().
std::function<void(const std::uint8_t*, std::uint8_t*, std::size_t)> misdeed;
int update_status = AESGATE_OK;

int update(void*, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  if (length % 16 != 0) return AESGATE_BAD_ARGUMENT;
  if (update_status != AESGATE_OK) return update_status;
  if (length > 0) std::memmove(out, in, length);
  if (misdeed) misdeed(in, out, length);
  return AESGATE_OK;
}

const aesgate_backend copies = [] {
  aesgate_backend b{};
  b.abi_version = AESGATE_ABI_VERSION;
  b.struct_size = sizeof b;
  b.name = "copies";
  b.kind = "software";
  b.unit = "none";
  b.description = "returns its input";
  b.probe = [](const aesgate_backend*, char*, std::size_t) -> int { return AESGATE_OK; };
  b.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    return shape->flags == 0 ? update : nullptr;
  };
  b.context_size = [](const aesgate_backend*, const aesgate_shape*) { return sizeof(Context); };
  b.context_align = 8;
  b.start = [](const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*, const std::uint8_t*) -> int {
    return AESGATE_OK;
  };
  b.finish = [](void* context) { std::memset(context, 0, sizeof(Context)); };
  return b;
}();

class execute_test : public testing::Test {
 protected:
  ~execute_test() override {
    misdeed = nullptr;
    update_status = AESGATE_OK;
  }

  static Case make(std::vector<std::size_t> chunks = {48}) {
    Case c = make_case({Mode::ecb, Direction::encrypt, KeySize::bits128}, Key(), {}, Bytes(48, 0x11), 48);
    c.chunks = std::move(chunks);
    return c;
  }

  static Judgement run(const Case& c) {
    EXPECT_TRUE(c.validate());
    return judge(c, execute(copies, c), {c.input});
  }
};

TEST_F(execute_test, a_backend_that_keeps_the_rules_agrees) {
  for (const auto edge : {Spot::Edge::start, Spot::Edge::end}) {
    for (const bool in_place : {false, true}) {
      Case c = make({16, 0, 5, 32, 0});
      c.placement.in_place = in_place;
      c.placement.input = {edge, 3};
      c.placement.output = {edge, 1};
      const Judgement j = run(c);
      EXPECT_EQ(j.verdict, Verdict::agree) << j.reason;
    }
  }
}

TEST_F(execute_test, a_write_beside_the_output_is_named) {
  misdeed = [](const std::uint8_t*, std::uint8_t* out, std::size_t length) { out[length] = 0; };
  const Judgement j = run(make());
  EXPECT_EQ(j.verdict, Verdict::mismatch);
  EXPECT_EQ(j.reason, "memory beside the output differs after finish() at byte 48: expected db, got 00");
}

TEST_F(execute_test, a_write_into_the_next_chunk_is_named) {
  misdeed = [](const std::uint8_t*, std::uint8_t* out, std::size_t length) { out[length] = 0; };
  const Judgement j = run(make({16, 32}));
  EXPECT_EQ(j.verdict, Verdict::mismatch);
  EXPECT_EQ(
      j.reason,
      "output outside the range of the call differs after update() 1, of 16 at 0 at byte 16: expected db, got 00");
}

TEST_F(execute_test, a_write_to_the_input_is_named) {
  misdeed = [](const std::uint8_t* in, std::uint8_t*, std::size_t) { const_cast<std::uint8_t*>(in)[2] ^= 1; };
  const Judgement j = run(make());
  EXPECT_EQ(j.verdict, Verdict::crashed);
  EXPECT_EQ(j.reason, "SIGSEGV in update() 1, of 48 at 0, writing at byte 2 of the input");
}

TEST_F(execute_test, so_is_a_write_that_is_taken_back) {
  misdeed = [](const std::uint8_t* in, std::uint8_t*, std::size_t) {
    volatile std::uint8_t* byte = const_cast<std::uint8_t*>(in) + 2;
    *byte = *byte ^ 1;
    *byte = *byte ^ 1;
  };
  EXPECT_EQ(run(make()).verdict, Verdict::crashed);
  Case c = make();
  c.placement.in_place = true;
  EXPECT_EQ(run(c).verdict, Verdict::agree);
}

TEST_F(execute_test, a_write_to_the_key_is_named) {
  aesgate_backend b = copies;
  b.start = [](const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t* key,
               const std::uint8_t*) -> int {
    const_cast<std::uint8_t*>(key)[4] = 0;
    return AESGATE_OK;
  };
  const Case c = make();
  EXPECT_EQ(judge(c, execute(b, c), {c.input}).reason, "SIGSEGV in start(), writing at byte 4 of the key");
}

TEST_F(execute_test, a_write_far_ahead_is_found_before_the_call_that_would_hide_it) {
  misdeed = [](const std::uint8_t*, std::uint8_t* out, std::size_t length) {
    if (length == 16) out[200] = 1;
  };
  Case c = make_case({Mode::ecb, Direction::encrypt, KeySize::bits128}, Key(), {}, Bytes(512, 0x11), 512);
  c.chunks = {16, 496};
  EXPECT_EQ(run(c).reason,
            "output that no call had reached differs after update() 1, of 16 at 0 at byte 200: expected db, got 01");
}

TEST_F(execute_test, a_write_far_behind_is_found_at_the_end) {
  misdeed = [](const std::uint8_t*, std::uint8_t* out, std::size_t length) {
    if (length == 16) out[-400] = 1;
  };
  Case c = make_case({Mode::ecb, Direction::encrypt, KeySize::bits128}, Key(), {}, Bytes(512, 0x11), 512);
  c.chunks = {496, 16};
  EXPECT_EQ(run(c).reason,
            "output outside the range of its call differs after finish() at byte 96: expected db, got 01");
  // And the next Case does not see it.
  misdeed = nullptr;
  EXPECT_EQ(run(make()).verdict, Verdict::agree);
}

#if defined(__x86_64__)
TEST_F(execute_test, a_lost_register_is_a_mismatch_and_does_no_more_harm) {
  aesgate_backend b = copies;
  b.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    if (shape->flags != 0) return nullptr;
    return [](void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) -> int {
      const int status = update(context, in, out, length);
      asm volatile("movq $7, %%r13" ::: "memory");
      return status;
    };
  };
  const Case c = make({16, 32});
  const Judgement j = judge(c, execute(b, c), {c.input});
  EXPECT_EQ(j.verdict, Verdict::mismatch);
  EXPECT_EQ(j.reason,
            "callee-saved register r13 after update() 1, of 16 at 0: expected b4b4b4b4b4b4b404, got 0000000000000007");
}

TEST_F(execute_test, every_function_of_a_context_is_looked_at) {
  const Case c = make();
  const auto broken_in = [&](const aesgate_backend& b) { return judge(c, execute(b, c), {c.input}).reason; };
  aesgate_backend b = copies;
  b.start = [](const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*, const std::uint8_t*) -> int {
    asm volatile("std" ::: "memory");
    return AESGATE_OK;
  };
  EXPECT_EQ(broken_in(b), "direction flag after start(): expected clear, got set");
  b = copies;
  b.finish = [](void*) { asm volatile("pxor %%mm0, %%mm0" ::: "memory"); };
  EXPECT_EQ(broken_in(b), "x87 tag word after finish(): expected all registers empty, got ff in use");
  b = copies;
  b.chaining_value = [](const void*, std::uint8_t*) -> int {
    const std::uint32_t flush_to_zero = 0x9f80;
    asm volatile("ldmxcsr %0" ::"m"(flush_to_zero) : "memory");
    return AESGATE_UNSUPPORTED;
  };
  EXPECT_EQ(broken_in(b), "MXCSR control bits after chaining_value() after start(): expected 1f80, got 9f80");
  EXPECT_EQ(broken_in(copies), "");
}

TEST_F(execute_test, upper_halves_in_use_are_a_warning) {
  if (!AbiWatch::tells_upper_halves()) GTEST_SKIP() << "this CPU does not tell";
  const auto warning = [&] {
    const Judgement j = run(make());
    EXPECT_EQ(j.verdict, Verdict::agree);
    return j.warnings[static_cast<std::size_t>(Warning::upper_halves)];
  };
  EXPECT_EQ(warning(), "");
  misdeed = [](const std::uint8_t*, std::uint8_t*, std::size_t) {
    asm volatile("vpcmpeqd %%ymm5, %%ymm5, %%ymm5" ::: "xmm5", "memory");
  };
  EXPECT_EQ(warning(), "update() 1, of 48 at 0");
}
#endif

TEST_F(execute_test, a_context_lies_where_the_case_says) {
  static std::uintptr_t at = 0;
  aesgate_backend b = copies;
  b.start = [](const aesgate_backend*, void* context, const aesgate_shape*, const std::uint8_t*,
               const std::uint8_t*) -> int {
    at = reinterpret_cast<std::uintptr_t>(context);
    return AESGATE_OK;
  };
  const auto place = [&](const Spot& spot) {
    Case c = make();
    c.placement.context = spot;
    EXPECT_EQ(judge(c, execute(b, c), {c.input}).verdict, Verdict::agree);
    return at;
  };
  EXPECT_EQ(place({Spot::Edge::start, 0}) % 4096, 0u);
  EXPECT_EQ(place({Spot::Edge::start, 1}) % 4096, 8u);
  EXPECT_EQ(place({Spot::Edge::end, 0}) % 4096, 4096 - sizeof(Context));
  EXPECT_EQ(place({Spot::Edge::end, 1}) % 4096, 4096 - sizeof(Context) - 8);
  b.start = [](const aesgate_backend*, void* context, const aesgate_shape*, const std::uint8_t*,
               const std::uint8_t*) -> int {
    static_cast<volatile std::uint8_t*>(context)[-1] = 0;
    return AESGATE_OK;
  };
  Case c = make();
  c.placement.context = {Spot::Edge::start, 0};
  EXPECT_EQ(judge(c, execute(b, c), {c.input}).reason, "SIGSEGV in start(), writing at byte -1 of the context");
}

TEST_F(execute_test, reading_past_the_end_is_a_crash_with_its_place) {
  [[maybe_unused]] static volatile std::uint8_t sink;
  misdeed = [](const std::uint8_t* in, std::uint8_t*, std::size_t length) { sink = in[length]; };
  Case c = make();
  c.placement.input = {Spot::Edge::end, 0};
  const Judgement j = run(c);
  EXPECT_EQ(j.verdict, Verdict::crashed);
  EXPECT_EQ(j.reason, "SIGSEGV in update() 1, of 48 at 0, reading 1 byte past the end of the input");
  // The next Case is not disturbed by the crash.
  misdeed = nullptr;
  EXPECT_EQ(run(make()).verdict, Verdict::agree);
}

TEST_F(execute_test, abort_is_a_crash) {
  misdeed = [](const std::uint8_t*, std::uint8_t*, std::size_t) { std::abort(); };
  EXPECT_EQ(run(make()).reason, "SIGABRT in update() 1, of 48 at 0");
}

TEST_F(execute_test, an_exception_is_a_crash) {
  misdeed = [](const std::uint8_t*, std::uint8_t*, std::size_t) { throw std::runtime_error("no more memory"); };
  const Judgement j = run(make());
  EXPECT_EQ(j.verdict, Verdict::crashed);
  EXPECT_EQ(j.reason, "a C++ exception (no more memory) in update() 1, of 48 at 0");
  misdeed = [](const std::uint8_t*, std::uint8_t*, std::size_t) { throw 42; };
  EXPECT_EQ(run(make()).reason, "a C++ exception (of a type of its own) in update() 1, of 48 at 0");
  misdeed = nullptr;
  EXPECT_EQ(run(make()).verdict, Verdict::agree);
}

TEST_F(execute_test, exit_in_a_call_is_no_success) {
  misdeed = [](const std::uint8_t*, std::uint8_t*, std::size_t) { std::exit(0); };
  // On a thread of its own: this one's buffers are not there in a forked process.
  EXPECT_EXIT(std::thread([&] { (void)run(make()); }).join(), testing::ExitedWithCode(1),
              "a backend called exit\\(\\)");
}

TEST_F(execute_test, unsupported_is_for_update_for_to_say_and_for_no_later_call) {
  for (const int status : {AESGATE_UNSUPPORTED, AESGATE_UNAVAILABLE}) {
    update_status = status;
    EXPECT_EQ(run(make()).verdict, Verdict::failed);
  }
  update_status = AESGATE_OK;
  aesgate_backend b = copies;
  b.start = [](const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*, const std::uint8_t*) -> int {
    return AESGATE_UNAVAILABLE;
  };
  const Case c = make();
  const Judgement j = judge(c, execute(b, c), {c.input});
  EXPECT_EQ(j.verdict, Verdict::failed);
  EXPECT_EQ(j.reason, "start() said: unavailable");
}

TEST_F(execute_test, a_context_begins_on_memory_that_is_not_always_the_same) {
  static std::set<std::uint8_t> seen;
  aesgate_backend b = copies;
  b.start = [](const aesgate_backend*, void* context, const aesgate_shape*, const std::uint8_t*,
               const std::uint8_t*) -> int {
    seen.insert(*static_cast<const std::uint8_t*>(context));
    return AESGATE_OK;
  };
  for (std::uint8_t first = 0; first < 4; ++first) {
    Case c = make();
    c.key.bytes()[0] = first;
    EXPECT_EQ(judge(c, execute(b, c), {c.input}).verdict, Verdict::agree);
  }
  EXPECT_EQ(seen, (std::set<std::uint8_t>{0x00, 0x5a, 0xdb, 0xff}));
}

TEST_F(execute_test, input_kept_by_reference_is_of_no_use) {
  // Returns in each call what the call before was given, if that is still there.
  static const std::uint8_t* kept;
  kept = nullptr;
  misdeed = [](const std::uint8_t* in, std::uint8_t* out, std::size_t) {
    if (kept != nullptr) std::memcpy(out, kept, 16);
    kept = in;
  };
  EXPECT_EQ(run(make({16, 16, 16})).verdict, Verdict::mismatch);
}

TEST_F(execute_test, output_that_was_never_written_is_seen) {
  misdeed = [](const std::uint8_t*, std::uint8_t* out, std::size_t length) {
    std::memset(out + length - 16, poison, 16);
  };
  const Judgement j = run(make());
  EXPECT_EQ(j.reason, "output differs from the oracles at byte 32: expected 11, got db");
}

TEST_F(execute_test, an_error_status_is_a_failure_that_names_the_call) {
  update_status = AESGATE_FAILED;
  const Judgement j = run(make());
  EXPECT_EQ(j.verdict, Verdict::failed);
  EXPECT_EQ(j.reason, "update() 1, of 48 at 0 said: failed");
}

TEST_F(execute_test, a_length_that_should_be_refused_and_is_not_is_a_failure) {
  aesgate_backend takes_all = copies;
  takes_all.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    if (shape->flags != 0) return nullptr;
    return [](void*, const std::uint8_t*, std::uint8_t*, std::size_t) -> int { return AESGATE_OK; };
  };
  const Case c = make({5, 48});
  const Judgement j = judge(c, execute(takes_all, c), {c.input});
  EXPECT_EQ(j.verdict, Verdict::failed);
  EXPECT_EQ(j.reason, "update() 1, of 5 at 0: it should refuse this length as a bad argument, and said ok");
}

TEST_F(execute_test, what_a_refused_call_is_given_can_be_read_and_written_to_its_end) {
  static std::size_t most;
  most = 0;
  aesgate_backend reads = copies;
  reads.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    if (shape->flags != 0) return nullptr;
    return [](void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) -> int {
      volatile std::uint8_t sum = 0;
      for (std::size_t i = 0; i < length; ++i) sum = static_cast<std::uint8_t>(sum + in[i] + out[i]);
      most = std::max(most, length);
      return update(context, in, out, length);
    };
  };
  for (const Spot::Edge edge : {Spot::Edge::start, Spot::Edge::end})
    for (const bool in_place : {false, true}) {
      Case c = make({63, 48, 47, 1});
      c.placement.input.edge = c.placement.output.edge = edge;
      c.placement.in_place = in_place;
      EXPECT_EQ(judge(c, execute(reads, c), {c.input}).reason, "");
    }
  EXPECT_EQ(most, 63u);
}

TEST_F(execute_test, flags_that_nobody_knows_must_be_refused) {
  aesgate_backend b = copies;
  b.update_for = [](const aesgate_backend*, const aesgate_shape*) -> aesgate_update_fn { return update; };
  const Case c = make();
  const Judgement j = judge(c, execute(b, c), {c.input});
  EXPECT_EQ(j.verdict, Verdict::failed);
  EXPECT_EQ(j.reason, "update_for(): it takes a shape with flags = 1, and must not take what it does not know");
}

TEST_F(execute_test, a_chaining_value_of_more_than_a_block_is_a_crash) {
  aesgate_backend b = copies;
  b.chaining_value = [](const void*, std::uint8_t* iv) -> int {
    static_cast<volatile std::uint8_t*>(iv)[16] = 0;
    return AESGATE_UNSUPPORTED;
  };
  const Case c = make();
  EXPECT_EQ(
      judge(c, execute(b, c), {c.input}).reason,
      "SIGSEGV in chaining_value() after start(), writing 1 byte past the end of the chaining value");
}

TEST_F(execute_test, in_a_quarter_of_the_cases_nobody_asks_for_the_chaining_value_on_the_way) {
  aesgate_backend b = copies;
  b.chaining_value = [](const void*, std::uint8_t*) -> int { return AESGATE_UNSUPPORTED; };
  std::size_t asked_at_the_end_only = 0;
  for (std::uint8_t byte = 0; byte < 4; ++byte) {
    Case c = make({16, 16, 16});
    c.key.bytes()[1] = byte;
    const std::size_t asked = execute(b, c).chaining_values.size();
    EXPECT_TRUE(asked == 4 || asked == 1) << asked;
    asked_at_the_end_only += asked == 1;
  }
  EXPECT_EQ(asked_at_the_end_only, 1u);
}

TEST_F(execute_test, the_stack_lies_elsewhere_in_each_call) {
  static std::set<std::uintptr_t> places;
  places.clear();
  misdeed = [](const std::uint8_t*, std::uint8_t*, std::size_t) {
    places.insert(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 64);
  };
  EXPECT_EQ(run(make({16, 16, 16})).verdict, Verdict::agree);
  EXPECT_GT(places.size(), 1u);
}

TEST_F(execute_test, unsupported_and_unavailable_are_no_failures) {
  aesgate_backend b = copies;
  b.update_for = [](const aesgate_backend*, const aesgate_shape*) -> aesgate_update_fn { return nullptr; };
  const Case c = make();
  EXPECT_EQ(judge(c, execute(b, c), {c.input}).verdict, Verdict::unsupported);
  b.probe = [](const aesgate_backend*, char* reason, std::size_t size) -> int {
    std::strncpy(reason, "no such unit", size);
    return AESGATE_UNAVAILABLE;
  };
  const Judgement j = judge(c, execute(b, c), {c.input});
  EXPECT_EQ(j.verdict, Verdict::unavailable);
  EXPECT_EQ(j.reason, "no such unit");
}

TEST_F(execute_test, the_vector_is_judged_before_the_oracle) {
  Case c = make();
  c.expected = Bytes(48, 0x12);
  EXPECT_EQ(run(c).reason, "output differs from the vector at byte 0: expected 12, got 11");
}

TEST(chaining_value, follows_from_the_data) {
  Case c = make_case({Mode::cfb8, Direction::encrypt, KeySize::bits128}, Key(), Block{0xaa, 0xbb}, Bytes(3, 1), 3);
  const Bytes output{1, 2, 3};
  const auto value = chaining_value_at(c, 2, output);
  ASSERT_TRUE(value);
  EXPECT_EQ(to_hex(*value),
            "0000000000000000000000000000"
            "0102");
  c.shape.mode = Mode::cfb128;
  EXPECT_FALSE(chaining_value_at(c, 2, output));
  EXPECT_EQ(*chaining_value_at(c, 0, output), c.iv);
}

}  // namespace
}  // namespace aesgate
