// The driver, on the emulated unit: what only a unit with alignment, a key of its own and prefetch can show, and that
// the checks find what published drivers got wrong. All else is in backends_test.cpp and the stages.

#include "emulator/padlock.h"

#if defined(__x86_64__) && defined(__linux__)

#include <algorithm>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/coprocessor/padlock_driver.h"
#include "core/case.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/registry.h"
#include "core/session.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

using ::testing::HasSubstr;

Bytes pattern(std::size_t size, unsigned seed) {
  Bytes bytes(size);
  std::uint32_t x = seed * 2654435761u + 1;
  for (auto& byte : bytes) {
    x = x * 1664525u + 1013904223u;
    byte = static_cast<std::uint8_t>(x >> 24);
  }
  return bytes;
}

Case message(const Shape& shape, std::size_t length, unsigned seed = 1) {
  Block iv;
  std::ranges::copy(pattern(16, seed + 100), iv.begin());
  return make_case(shape, Key::from(pattern(key_bytes(shape.key_size), seed)).value(), iv,
                   pattern(bytes_for(shape.mode, length), seed + 200), length);
}

Judgement run(const aesgate_backend& backend, const Case& c) {
  const auto answer = ask(c);
  EXPECT_TRUE(answer) << answer.error().message;
  return judge(c, execute(backend, c), *answer);
}

Shape shape(Mode mode, Direction direction = Direction::encrypt, KeySize size = KeySize::bits128) {
  Shape s{};
  s.mode = mode;
  s.direction = direction;
  s.key_size = size;
  return s;
}

const aesgate_backend& padlock() { return **find_backend("padlock"); }

class PadlockDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(emulator::install_padlock());
    emulator::set_padlock_options({});
    emulator::reset_padlock_counters();
  }
  void TearDown() override { emulator::set_padlock_options({}); }
};

TEST(PadlockWithoutEmulator, is_unavailable_for_a_reason) {
  emulator::remove_padlock();
  EXPECT_THAT(why_unavailable(padlock()), HasSubstr("PadLock"));
  EXPECT_THAT(why_unavailable(padlock()), HasSubstr("--emulate padlock"));
  const Case c = message(shape(Mode::cbc), 16);
  Session session(padlock(), c.shape);
  EXPECT_EQ(session.start(c.key.bytes().data(), c.iv.data()), Status::unavailable);
  session.finish();
  ASSERT_TRUE(emulator::install_padlock());
  EXPECT_EQ(why_unavailable(padlock()), "");
}

// Under everything that VIA leaves open or that steppings differ in.
TEST_F(PadlockDriver, agrees_at_page_ends_whatever_the_unit_fetches_and_points_to) {
  using emulator::ChainPointer;
  for (const emulator::PadlockOptions& options :
       {emulator::PadlockOptions{ChainPointer::as_in_cbc, 2, 1}, emulator::PadlockOptions{ChainPointer::stays, 8, 4}}) {
    emulator::set_padlock_options(options);
    for (const Shape& s : all_shapes()) {
      // CFB1 and CFB8 reach the unit by way of memory of the driver's own.
      const std::size_t length = segment_units(s.mode) == 1 ? 21 : is_block_mode(s.mode) ? 640 : 613;
      Case c = message(s, length);
      const auto answer = ask(c);
      ASSERT_TRUE(answer);
      for (const unsigned distance : {0u, 16u, 32u, 48u, 64u, 112u, 128u, 144u, 3u, 8u, 251u})
        for (const bool in_place : {false, true})
          for (const std::size_t first : {std::size_t{0}, std::size_t{16}, length / 64 * 16, length}) {
            const auto place = static_cast<std::uint16_t>(distance);
            c.placement = {in_place, {Spot::Edge::end, place}, {Spot::Edge::end, 0}, {Spot::Edge::end, 1}, {}};
            c.chunks = {first, length - first};
            const Judgement judgement = judge(c, execute(padlock(), c), *answer);
            ASSERT_EQ(judgement.verdict, Verdict::agree)
                << name(s) << ", " << distance << " from the page's end, in place " << in_place << ": " << first
                << " first: " << judgement.reason;
          }
    }
  }
  EXPECT_EQ(emulator::padlock_counters().prefetch_faults, 0u);
  EXPECT_EQ(emulator::padlock_counters().alignment_faults, 0u);
}

TEST_F(PadlockDriver, agrees_at_every_split_with_either_chain_pointer) {
  for (const auto pointer : {emulator::ChainPointer::as_in_cbc, emulator::ChainPointer::stays}) {
    emulator::set_padlock_options({.chain_pointer = pointer});
    for (const Mode mode : {Mode::cbc, Mode::cfb128, Mode::ofb})
      for (const Direction direction : all_directions) {
        Case c = message(shape(mode, direction, KeySize::bits256), 80);
        const auto answer = ask(c);
        ASSERT_TRUE(answer);
        const std::size_t step = is_block_mode(mode) ? 16 : 1;
        for (std::size_t first = 0; first <= 80; first += step)
          for (std::size_t second = 0; first + second <= 80; second += step) {
            c.chunks = {first, second, 80 - first - second};
            const Judgement judgement = judge(c, execute(padlock(), c), *answer);
            ASSERT_EQ(judgement.verdict, Verdict::agree) << name(c.shape) << first << '+' << second << judgement.reason;
          }
      }
  }
}

TEST_F(PadlockDriver, uses_the_units_own_modes_in_one_run_where_memory_allows) {
  const auto instructions = [](const Case& c) {
    emulator::reset_padlock_counters();
    EXPECT_EQ(run(padlock(), c).verdict, Verdict::agree);
    const auto counters = emulator::padlock_counters();
    EXPECT_EQ(counters.key_loads, 1u) << name(c.shape);
    return counters.instructions;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(instructions(message(shape(Mode::ecb), 1024)), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(instructions(message(shape(Mode::cbc), 1024)), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(instructions(message(shape(Mode::cfb128), 1024)), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(instructions(message(shape(Mode::ofb), 1024)), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(instructions(message(shape(Mode::cfb8), 1)), ElementsAre(1, 0, 0, 0));
  // 64 blocks, 32 at a time, by way of aligned memory; and the last 64 bytes before a page's end.
  Case c = message(shape(Mode::cbc), 1024);
  c.placement.input = {Spot::Edge::start, 5};
  EXPECT_THAT(instructions(c), ElementsAre(0, 2, 0, 0));
  c.placement.input = {Spot::Edge::end, 0};
  EXPECT_THAT(instructions(c), ElementsAre(0, 2, 0, 0));
}

/// `length` bytes of two messages in turn, piece by piece.
bool interleaved_agree(const aesgate_backend& backend, const Case& a, const Case& b) {
  bool agree = true;
  const auto answer_a = ask(a);
  const auto answer_b = ask(b);
  Session first(backend, a.shape);
  Session second(backend, b.shape);
  agree &= first.start(a.key.bytes().data(), a.iv.data()) == Status::ok;
  agree &= second.start(b.key.bytes().data(), b.iv.data()) == Status::ok;
  Bytes out_a(a.length);
  Bytes out_b(b.length);
  for (std::size_t at = 0; at < a.length; at += 48) {
    agree &= first.update(a.input.data() + at, out_a.data() + at, 48) == Status::ok;
    agree &= second.update(b.input.data() + at, out_b.data() + at, 48) == Status::ok;
  }
  return agree && out_a == answer_a->output && out_b == answer_b->output;
}

TEST_F(PadlockDriver, contexts_do_not_use_each_others_keys) {
  const Case a = message(shape(Mode::cbc), 480, 1);
  const Case b = message(shape(Mode::cbc, Direction::decrypt), 480, 2);
  EXPECT_TRUE(interleaved_agree(padlock(), a, b));
  std::vector<std::thread> threads;
  std::array<bool, 2> agree{};
  for (bool& result : agree)
    threads.emplace_back([&] {
      result = true;
      for (int i = 0; i < 50; ++i) result = result && interleaved_agree(padlock(), a, b);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(agree[0] && agree[1]);
}

// Another key in the same memory, after a message in the same direction and after one in the other.
TEST_F(PadlockDriver, a_context_may_be_started_again) {
  for (const Direction direction : {Direction::encrypt, Direction::decrypt, Direction::encrypt})
    for (const unsigned seed : {1u, 2u}) {
      const Judgement judgement = run(padlock(), message(shape(Mode::ecb, direction), 64, seed));
      EXPECT_EQ(judgement.verdict, Verdict::agree) << judgement.reason;
    }
}

// Drivers with one rule broken each, and the driver with none, which passes the same.

int always_there(const aesgate_backend*, char*, std::size_t) { return AESGATE_OK; }

template <typename Rules>
const aesgate_backend& driver() {
  static constexpr aesgate_backend backend =
      make_padlock<Rules>("padlock-of-the-tests", "with another rule", always_there, padlock_start);
  return backend;
}

/// What they have in common: less to compile, in modes that none of the broken rules is about.
struct TestRules : PadlockRules {
  static constexpr unsigned segments_in_flight = 1;
};

/// OpenSSL 20073 and 20077: the loop that turns the bytes of the schedule's words counts rounds, not words.
struct TurnsTooFewWords : TestRules {
  template <unsigned Rounds>
  static void expand(std::uint8_t* schedule, const std::uint8_t* key, bool inverse) {
    PadlockRules::expand<Rounds>(schedule, key, inverse);
    for (unsigned word = Rounds; word < 4 * (Rounds + 1); ++word)
      std::reverse(schedule + 4 * word, schedule + 4 * word + 4);
  }
};

TEST_F(PadlockDriver, a_wrong_schedule_is_found) {
  for (const Shape& s : all_shapes()) {
    const Case c = message(s, is_block_mode(s.mode) ? 32 : 20);
    ASSERT_EQ(run(driver<TestRules>(), c).verdict, Verdict::agree);
    EXPECT_EQ(run(driver<TurnsTooFewWords>(), c).verdict,
              s.key_size == KeySize::bits128 ? Verdict::agree : Verdict::mismatch)
        << name(s);
  }
}

/// Linux, padlock-aes: the first of two runs got the count of both.
struct FirstRunTakesAll : TestRules {
  static std::size_t first_run(std::size_t, std::size_t all) { return all; }
};

TEST_F(PadlockDriver, a_first_run_that_takes_all_is_found) {
  for (const Direction direction : all_directions) {
    Case c = message(shape(Mode::cbc, direction), 640);
    EXPECT_EQ(run(driver<FirstRunTakesAll>(), c).verdict, Verdict::agree) << "one run does it all";
    c.placement.input = {Spot::Edge::end, 32};
    ASSERT_EQ(run(driver<TestRules>(), c).verdict, Verdict::agree);
    EXPECT_EQ(run(driver<FirstRunTakesAll>(), c).verdict, Verdict::mismatch);
  }
}

/// Linux, padlock-aes, and OpenSSL's padlock: the unit fetches ahead across a page's end.
struct NearPageEnds : TestRules {
  static constexpr std::size_t clear_in_ecb = 0;
  static constexpr std::size_t clear_in_chained = 0;
};
/// Enough for most units, and not for Nano stepping 2.
struct NearPageEndsForSome : TestRules {
  static constexpr std::size_t clear_in_ecb = 32;
  static constexpr std::size_t clear_in_chained = 16;
};

TEST_F(PadlockDriver, prefetch_across_a_page_end_is_found) {
  for (const Mode mode : {Mode::ecb, Mode::cbc}) {
    Case c = message(shape(mode), 640);
    EXPECT_EQ(run(driver<NearPageEnds>(), c).verdict, Verdict::agree) << "at the start of a page";
    c.placement.input = {Spot::Edge::end, 0};
    ASSERT_EQ(run(driver<TestRules>(), c).verdict, Verdict::agree);
    const Judgement judgement = run(driver<NearPageEnds>(), c);
    EXPECT_EQ(judgement.verdict, Verdict::crashed);
    EXPECT_THAT(judgement.reason, HasSubstr("SIGSEGV"));
    EXPECT_EQ(run(driver<NearPageEndsForSome>(), c).verdict, Verdict::agree);
    emulator::set_padlock_options({.ecb_ahead = 8, .cbc_ahead = 4});
    EXPECT_EQ(run(driver<TestRules>(), c).verdict, Verdict::agree);
    EXPECT_EQ(run(driver<NearPageEndsForSome>(), c).verdict, Verdict::crashed);
    emulator::set_padlock_options({});
  }
}

/// Linux, padlock-aes: a reload when the context and direction are not those that were stored last, where decryption
/// stores the one for encryption.
struct StoresTheOtherControlWord : TestRules {
  static bool must_reload(const PadlockRun& run, bool) {
    static thread_local std::pair<const void*, bool> last;
    const bool decrypts = (run.control->word[0] >> 9 & 1) != 0;
    return std::exchange(last, {run.key, false}) != std::pair{run.key, decrypts};
  }
};
/// No reload at all.
struct NeverReloads : TestRules {
  static bool must_reload(const PadlockRun&, bool) { return false; }
};

TEST_F(PadlockDriver, a_reload_that_is_skipped_is_found) {
  // One key in one memory: in execute() a context has the address of the last one that was as large.
  const Case encrypt = message(shape(Mode::ecb), 64);
  const Case decrypt = message(shape(Mode::ecb, Direction::decrypt), 64);
  for (const Case* c : {&encrypt, &decrypt, &encrypt}) {
    ASSERT_EQ(run(driver<TestRules>(), *c).verdict, Verdict::agree);
  }
  EXPECT_EQ(run(driver<StoresTheOtherControlWord>(), decrypt).verdict, Verdict::agree);
  EXPECT_EQ(run(driver<StoresTheOtherControlWord>(), encrypt).verdict, Verdict::mismatch);

  ASSERT_EQ(run(driver<TestRules>(), encrypt).verdict, Verdict::agree);
  EXPECT_EQ(run(driver<NeverReloads>(), message(shape(Mode::ecb), 64, 2)).verdict, Verdict::mismatch);
  EXPECT_FALSE(
      interleaved_agree(driver<NeverReloads>(), message(shape(Mode::cbc), 480, 1), message(shape(Mode::cbc), 480, 2)));
}

}  // namespace
}  // namespace aesgate

#endif
