#include "core/conditions.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

#include "core/execute.h"
#include "core/judge.h"
#include "core/migration.h"
#include "core/tiny_backend_test.h"

// Each condition finds a backend that goes wrong under it alone, and none accuses one that is right.
namespace aesgate {
namespace {

using Memory = Conditions::Memory;

Judgement run(const aesgate_backend& backend, const Case& c) {
  EXPECT_TRUE(c.validate());
  Case plain = c.copy();
  plain.conditions = {};
  return judge(c, execute(backend, c), {execute(tiny::right_backend(), plain).output});
}

/// Agrees as long as the conditions are plain, and then does not; the reason.
std::string found_by(const aesgate_backend& backend, const Conditions& conditions,
                     const std::vector<std::size_t>& chunks = {16, 5, 11}) {
  Case c = tiny::a_case(chunks);
  EXPECT_EQ(run(backend, c).verdict, Verdict::agree) << run(backend, c).reason;
  c.conditions = conditions;
  const Judgement right = run(tiny::right_backend(), c);
  EXPECT_EQ(right.verdict, Verdict::agree) << right.reason;
  const Judgement wrong = run(backend, c);
  EXPECT_NE(wrong.verdict, Verdict::agree);
  return wrong.reason;
}

TEST(conditions, a_right_backend_agrees_under_all_of_them) {
  for (const Memory memory : {Memory::fresh, Memory::another_message, Memory::restarted, Memory::started_again})
    for (const std::uint8_t company : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{7}})
      for (const bool all : {false, true}) {
        Case c = tiny::a_case({16, 0, 5, 11, 100});
        c.conditions = {.memory = memory,
                        .company = company,
                        .threads = static_cast<std::uint8_t>(all ? 2 : 0),
                        .timer = all,
                        .migration = all};
        const Judgement j = run(tiny::right_backend(), c);
        EXPECT_EQ(j.verdict, Verdict::agree) << j.reason << " " << to_text(c.conditions);
        aesgate_backend without_restart = tiny::right_backend();
        without_restart.restart = nullptr;
        EXPECT_EQ(run(without_restart, c).verdict, Verdict::agree);
      }
}

TEST(conditions, a_restart_that_forgets_the_position_is_found) {
  aesgate_backend backend = tiny::right_backend();
  backend.restart = [](void* memory, const std::uint8_t* iv) -> int {
    std::memcpy(static_cast<tiny::Context*>(memory)->iv, iv, 16);
    return AESGATE_OK;
  };
  // What comes before is another in each Case, and in some ends with a block, or is nothing.
  unsigned found = 0;
  for (std::size_t length = 1; length <= 40; ++length) {
    Case c = tiny::a_case({length});
    c.conditions.memory = Memory::restarted;
    EXPECT_EQ(run(tiny::right_backend(), c).verdict, Verdict::agree);
    found += run(backend, c).reason.starts_with("output differs from the oracles at byte");
  }
  EXPECT_GE(found, 10u);
  EXPECT_LT(found, 40u);
}

/// Restarts, and what the calls before each of them were.
std::vector<std::vector<std::size_t>> past;

int update_noting_length(void* memory, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  past.back().push_back(length);
  return tiny::update(memory, in, out, length);
}

TEST(conditions, a_restarted_context_has_had_pasts_of_every_kind) {
  aesgate_backend backend = tiny::right_backend();
  backend.start = [](const aesgate_backend* self, void* memory, const aesgate_shape* shape, const std::uint8_t* key,
                     const std::uint8_t* iv) -> int {
    past = {{}};
    return tiny::right_backend().start(self, memory, shape, key, iv);
  };
  backend.restart = [](void* memory, const std::uint8_t* iv) -> int {
    past.emplace_back();
    return tiny::right_backend().restart(memory, iv);
  };
  backend.update_for = tiny::with_update<update_noting_length>;
  std::set<std::size_t> restarts, residues, calls;
  std::size_t longest = 0;
  for (std::size_t length = 1; length <= 400; ++length) {
    Case c = tiny::a_case({length});
    c.conditions.memory = Memory::restarted;
    EXPECT_EQ(run(backend, c).verdict, Verdict::agree);
    past.pop_back();  // the message of the Case
    restarts.insert(past.size());
    for (const std::vector<std::size_t>& message : past) {
      const std::size_t all = std::accumulate(message.begin(), message.end(), std::size_t{0});
      calls.insert(message.size());
      residues.insert(all % 16);
      longest = std::max(longest, all);
    }
  }
  EXPECT_EQ(restarts, (std::set<std::size_t>{1, 2, 3, 5}));
  EXPECT_EQ(residues.size(), 16u);
  EXPECT_EQ(calls, (std::set<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_GT(longest, 4096u);
}

TEST(conditions, a_start_that_fails_on_used_memory_is_found) {
  aesgate_backend backend = tiny::right_backend();
  // The mark of a message before is not wiped, and taken for that of a key already expanded.
  backend.start = [](const aesgate_backend* self, void* memory, const aesgate_shape* shape, const std::uint8_t* key,
                     const std::uint8_t* iv) -> int {
    auto& context = *static_cast<tiny::Context*>(memory);
    const bool used = context.position == 0xabcdef;
    tiny::start(self, memory, shape, key, iv);
    if (used) context.key[3] ^= 1;
    return AESGATE_OK;
  };
  backend.finish = [](void* memory) {
    tiny::finish(memory);
    static_cast<tiny::Context*>(memory)->position = 0xabcdef;
  };
  for (const Memory memory : {Memory::another_message, Memory::started_again})
    EXPECT_EQ(found_by(backend, {.memory = memory}).substr(0, 41), "output differs from the oracles at byte 3");
}

// One key for all contexts, as in a device that is programmed in start().
std::uint8_t only_key[32];

int update_with_the_only_key(void* memory, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  std::memcpy(static_cast<tiny::Context*>(memory)->key, only_key, sizeof only_key);
  return tiny::update(memory, in, out, length);
}

TEST(conditions, contexts_that_share_a_key_are_found_in_company) {
  aesgate_backend backend = tiny::right_backend();
  backend.update_for = tiny::with_update<update_with_the_only_key>;
  backend.start = [](const aesgate_backend* self, void* memory, const aesgate_shape* shape, const std::uint8_t* key,
                     const std::uint8_t* iv) -> int {
    std::memcpy(only_key, key, shape->key_bits / 8);
    return tiny::start(self, memory, shape, key, iv);
  };
  EXPECT_NE(found_by(backend, {.company = 1}), "");
  EXPECT_NE(found_by(backend, {.company = 4}), "");
}

// The Case's own context is right; another one is not.
int update_that_spoils_another(void* memory, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  static void* last = nullptr;
  static std::uint64_t last_position = 0;
  const auto& context = *static_cast<tiny::Context*>(memory);
  const bool returns = last != nullptr && last != memory && context.position > 0 && context.key[0] != 0x80;
  const int status = tiny::update(memory, in, out, length);
  if (returns && last_position > 0) out[0] ^= 1;
  last = memory;
  last_position = context.position;
  return status;
}

TEST(conditions, what_goes_wrong_in_another_context_is_named) {
  aesgate_backend backend = tiny::right_backend();
  backend.update_for = tiny::with_update<update_that_spoils_another>;
  const std::string reason = found_by(backend, {.company = 2});
  EXPECT_EQ(reason.substr(0, reason.find(" differs")), "output of another context (OFB encrypt 128)");
}

// A buffer of the backend's that all contexts use.
int update_through_a_shared_buffer(void* memory, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  static std::atomic<std::uint8_t> shared[64];
  const int status = tiny::update(memory, in, out, length);
  for (std::size_t i = 0; i < std::min<std::size_t>(length, 64); ++i) shared[i] = out[i];
  std::this_thread::yield();
  for (std::size_t i = 0; i < std::min<std::size_t>(length, 64); ++i) out[i] = shared[i];
  return status;
}

TEST(conditions, contexts_that_share_a_buffer_are_found_on_threads) {
  aesgate_backend backend = tiny::right_backend();
  backend.update_for = tiny::with_update<update_through_a_shared_buffer>;
  EXPECT_NE(found_by(backend, {.threads = 3}), "");
}

std::atomic<int> threads_in_call = 0;

int update_that_crashes_beside_another(void* memory, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  const bool alone = ++threads_in_call == 1;
  std::this_thread::sleep_for(std::chrono::microseconds(20));
  if (!alone) *static_cast<volatile int*>(nullptr) = 0;
  const int status = tiny::update(memory, in, out, length);
  --threads_in_call;
  return status;
}

TEST(conditions, a_crash_on_another_thread_is_a_verdict) {
  aesgate_backend backend = tiny::right_backend();
  backend.update_for = tiny::with_update<update_that_crashes_beside_another>;
  threads_in_call = 0;
  EXPECT_EQ(found_by(backend, {.threads = 2}).substr(0, 19), "SIGSEGV in update()");
  threads_in_call = 0;
}

#if defined(__x86_64__)
// Keeps 1 KiB of values below the red zone of 128 bytes, where a signal handler may write (System V ABI, AMD64, section
// 3.2.2).
[[gnu::noinline]] int update_past_the_red_zone(void* memory, const std::uint8_t* in, std::uint8_t* out,
                                               std::size_t length) {
  const int status = tiny::update(memory, in, out, length);
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(length > 0 ? 100 : 0);
  std::uint8_t kept = 0;
  do {
    asm volatile(
        "leaq -1152(%%rsp), %%rdi; movl $128, %%ecx; movl $0x55, %%eax; rep stosq;"
        "movl $3000, %%ecx; 1: decl %%ecx; jnz 1b;"
        "leaq -1152(%%rsp), %%rdi; movl $128, %%ecx; movl $0x55, %%eax; repe scasq; sete %0"
        : "=r"(kept)
        :
        : "rax", "rcx", "rdi", "cc", "memory");
    if (kept == 0) out[0] ^= 1;
  } while (kept != 0 && std::chrono::steady_clock::now() < end);
  return status;
}

TEST(conditions, what_is_kept_past_the_red_zone_is_found_by_the_timer) {
  aesgate_backend backend = tiny::right_backend();
  backend.update_for = tiny::with_update<update_past_the_red_zone>;
  EXPECT_NE(found_by(backend, {.timer = true}, {64, 64}), "");
}
#endif

// Keeps something that belongs to a CPU.
int update_on_the_cpu_of_the_start(void* memory, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  const int status = tiny::update(memory, in, out, length);
  if (sched_getcpu() != static_cast<const tiny::Context*>(memory)->key[31] && length > 0) out[0] ^= 1;
  return status;
}

TEST(conditions, what_is_kept_on_a_cpu_is_found_by_migration) {
  if (!Migration().possible()) GTEST_SKIP() << "this thread may run on one CPU only";
  aesgate_backend backend = tiny::right_backend();
  backend.update_for = tiny::with_update<update_on_the_cpu_of_the_start>;
  backend.start = [](const aesgate_backend* self, void* memory, const aesgate_shape* shape, const std::uint8_t* key,
                     const std::uint8_t* iv) -> int {
    tiny::start(self, memory, shape, key, iv);
    static_cast<tiny::Context*>(memory)->key[31] = static_cast<std::uint8_t>(sched_getcpu());
    return AESGATE_OK;
  };
  Case c = tiny::a_case({16, 16, 16});
  c.conditions.migration = true;
  EXPECT_EQ(run(tiny::right_backend(), c).verdict, Verdict::agree);
  EXPECT_EQ(run(backend, c).reason.substr(0, 39), "output differs from the oracles at byte");
}

}  // namespace
}  // namespace aesgate
