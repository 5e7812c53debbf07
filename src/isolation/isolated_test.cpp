// Backends that do what none may, in a process of their own: shared objects of src/abi/faulty_plugin.c.

#include "isolation/isolated.h"

#include <cctype>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/driver.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/plugin.h"
#include "core/registry.h"
#include "core/session.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

std::filesystem::path plugin(const std::string& name) {
  return std::filesystem::path(AESGATE_PLUGINS) / (name + ".so");
}

/// Short, since the tests wait for it; a Case takes a thousandth of it.
constexpr Isolation isolation{std::chrono::milliseconds(1500)};

const aesgate_backend& isolated(const std::string& name) {
  const auto backends = isolate_plugin(plugin(name), isolation);
  if (!backends) throw std::runtime_error(backends.error().message);
  return *backends->front();
}

Case message(Mode mode, std::size_t length, std::vector<std::size_t> chunks = {}) {
  Case c = make_case({mode, Direction::encrypt, KeySize::bits128}, Key(), Block{1, 2, 3},
                     Bytes(bytes_for(mode, length), 0x11), length);
  if (!chunks.empty()) c.chunks = std::move(chunks);
  return c;
}

Judgement judged(const aesgate_backend& backend, const Case& c) {
  const auto answer = ask(c);
  EXPECT_TRUE(answer);
  return judge(c, execute(backend, c), *answer);
}

/// "crashed: SIGSEGV in …", of a message of 64 bytes in CBC.
std::string verdict_on(const std::string& name, Case c = message(Mode::cbc, 64, {16, 48})) {
  const Judgement judgement = judged(isolated(name), c);
  return fmt::format("{}: {}", aesgate::name(judgement.verdict), judgement.reason);
}

/// The processes whose parent, or whose group's founder, this one is.
std::vector<std::string> children() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) == 0) continue;
    std::ifstream file(entry.path() / "stat");
    std::string stat(std::istreambuf_iterator<char>(file), {});
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;
    char state = 0;
    int parent = 0;
    if (std::sscanf(stat.c_str() + name_end + 1, " %c %d", &state, &parent) == 2 && parent == getpid())
      found.push_back(stat);
  }
  return found;
}

TEST(isolation, the_example_agrees_with_the_oracles_in_every_shape) {
  const aesgate_backend& example = isolated("libexample_plugin");
  EXPECT_STREQ(example.name, "example");
  EXPECT_STREQ(example.kind, "software");
  EXPECT_EQ(why_unavailable(example), "");
  for (const Shape& shape : all_shapes()) {
    EXPECT_TRUE(Session::supports(example, shape));
    Case c = message(shape.mode, 64, {16, 0, 48});
    c.shape = shape;
    c.key = Key(shape.key_size);
    const Judgement judgement = judged(example, c);
    EXPECT_EQ(judgement.verdict, Verdict::agree) << name(shape) << ": " << judgement.reason;
  }
}

TEST(isolation, an_isolated_outcome_is_the_one_in_this_process) {
  const aesgate_backend& sbox = **isolate_built_in("sbox", isolation);
  ASSERT_NE(driver_of(sbox), nullptr);
  const aesgate_backend& here = **callable(sbox);
  EXPECT_EQ(&here, *find_backend("sbox"));
  Case c = message(Mode::cbc, 64, {16, 7, 48});
  const Outcome near = execute(here, c);
  const Outcome far = execute(sbox, c);
  EXPECT_EQ(near.output, far.output);
  EXPECT_EQ(near.call, far.call);
  ASSERT_EQ(near.chaining_values.size(), far.chaining_values.size());
  EXPECT_EQ(near.chaining_values.back().value, far.chaining_values.back().value);
  c = message(Mode::cfb8, 5);
  c.monte_carlo_steps = 1000;
  c.input = {5};
  c.length = 1;
  c.chunks.clear();
  EXPECT_EQ(execute(here, c).output, execute(sbox, c).output);
}

TEST(isolation, a_session_of_an_isolated_backend_refuses) {
  Session session(isolated("libexample_plugin"), {Mode::ecb, Direction::encrypt, KeySize::bits128});
  EXPECT_EQ(session.start(Bytes(16).data(), nullptr), Status::failed);
}

struct Expected {
  const char* plugin;
  const char* verdict;  // a regular expression for the whole
};

class Misbehaviour : public testing::TestWithParam<Expected> {};

TEST_P(Misbehaviour, is_a_verdict_and_the_run_goes_on) {
  EXPECT_THAT(verdict_on(GetParam().plugin), MatchesRegex(GetParam().verdict));
  // In the same thread, on another backend and on the same one.
  EXPECT_EQ(verdict_on("libexample_plugin"), "agree: ");
  EXPECT_THAT(verdict_on(GetParam().plugin), MatchesRegex(GetParam().verdict));
}

INSTANTIATE_TEST_SUITE_P(
    plugins, Misbehaviour,
    testing::Values(
        Expected{"iv_out", "mismatch: output differs from the oracles at byte 16: .*"},
        Expected{"over_write", "mismatch: output outside the range of the call differs after update\\(\\) 1, of 16.*"},
        Expected{"input_write", "crashed: SIGSEGV in update\\(\\) 1, of 16 at 0, writing at byte 0 of the input"},
        Expected{"context_write", "crashed: SIGSEGV in start\\(\\), writing 1 byte past the end of the context"},
        Expected{"null_read", "crashed: SIGSEGV in update\\(\\) 1, of 16 at 0"},
        Expected{"endless_recursion", "crashed: SIGSEGV in update\\(\\) 1, of 16 at 0"},
        Expected{"heap_write", "crashed: SIGABRT in update\\(\\) 1, of 16 at 0"},
        Expected{"kill_in_update", "crashed: SIGKILL in update\\(\\) 1, of 16 at 0"},
        Expected{"abort_in_finish", "crashed: SIGABRT in finish\\(\\)"},
        Expected{"trap_in_chaining_value", "crashed: SIG(ILL|TRAP) in chaining_value\\(\\) after start\\(\\)"},
        Expected{"huge_context", "failed: context_size\\(\\): it said [0-9]+ bytes; .*"},
        Expected{"exit_in_start", "failed: it called exit\\(3\\) in start\\(\\)"},
        Expected{"quick_exit_in_update", "failed: it called exit\\(5\\) in update\\(\\) 1, of 16 at 0"},
        Expected{"throw_in_update", "crashed: a C\\+\\+ exception \\(planted\\) in update\\(\\) 1, of 16 at 0"},
        Expected{"exit_in_update", "failed: it called exit\\(0\\) in update\\(\\) 1, of 16 at 0"},
        Expected{"silent_exit_in_update", "failed: it called exit\\(0\\) in update\\(\\) 1, of 16 at 0"},
        Expected{"crash_in_update_for", "crashed: SIGSEGV in update_for\\(\\)"},
        Expected{"crash_in_context_size", "crashed: SIGSEGV in context_size\\(\\)"},
        Expected{"fpe_in_start", "crashed: SIGFPE in start\\(\\)"},
        Expected{"bus_in_start", "crashed: SIGBUS in start\\(\\)"},
        Expected{"close_descriptors", "failed: its process could not answer, .*, after finish\\(\\)"},
        Expected{"write_to_descriptors", "failed: its process gave no answer that can be read"},
        Expected{"prints", "agree: "}, Expected{"child_that_returns", "agree: "},
        Expected{"endless_loop", "timed out: no answer in 1(.5)? s in update\\(\\) 1, of 16 at 0"},
        Expected{"hang", "timed out: no answer in 1(.5)? s in update\\(\\) 1, of 16 at 0"},
        Expected{"crash_in_probe", "crashed: SIGSEGV in probe\\(\\)"},
        Expected{"exit_in_probe", "failed: it called exit\\(4\\) in probe\\(\\)"},
        Expected{"hang_in_probe", "timed out: no answer in 1(.5)? s in probe\\(\\)"},
        Expected{"accepts_any_length", "agree: "}),
    [](const auto& test) { return std::string(test.param.plugin); });

TEST(isolation, reading_past_the_end_says_where) {
  Case c = message(Mode::cbc, 64, {16, 48});
  c.placement.input = {Spot::Edge::end, 0};
  EXPECT_EQ(verdict_on("over_read", c.copy()),
            "crashed: SIGSEGV in update() 2, of 48 at 16, reading 1 byte past the end of the input");
}

TEST(isolation, a_wrong_answer_is_a_mismatch) {
  EXPECT_THAT(verdict_on("wrong_tail", message(Mode::cfb128, 37)), StartsWith("mismatch: output differs"));
  Case c = message(Mode::cbc, 64);
  c.placement.in_place = true;
  EXPECT_THAT(verdict_on("in_place", c.copy()), StartsWith("mismatch: output differs"));
  EXPECT_THAT(verdict_on("accepts_any_length", message(Mode::cbc, 64, {7, 64})),
              HasSubstr("it should refuse this length"));
}

TEST(isolation, a_backend_that_hangs_or_crashes_again_and_again_is_given_up) {
  const Isolation short_time{std::chrono::milliseconds(200)};
  const aesgate_backend& hangs = *isolate_plugin(plugin("hang"), short_time)->front();
  const Case c = message(Mode::ofb, 64);
  for (unsigned i = 0; i < most_time_outs; ++i) EXPECT_EQ(judged(hangs, c).verdict, Verdict::timed_out);
  EXPECT_EQ(judged(hangs, c).verdict, Verdict::declined);
  EXPECT_EQ(judged(hangs, c).reason, "not called any more after 2 time-outs in this mode");
  for (const Mode another : {Mode::ecb, Mode::cbc})
    for (unsigned i = 0; i < most_time_outs; ++i)
      EXPECT_EQ(judged(hangs, message(another, 64)).verdict, Verdict::timed_out);
  EXPECT_EQ(judged(hangs, message(Mode::cfb8, 64)).verdict, Verdict::declined);
  EXPECT_EQ(judged(hangs, message(Mode::cfb8, 64)).reason, "not called any more after 6 time-outs");
  const aesgate_backend& crashes = *isolate_plugin(plugin("null_read"), short_time)->front();
  for (unsigned i = 0; i < most_losses; ++i) EXPECT_EQ(judged(crashes, c).verdict, Verdict::crashed);
  EXPECT_EQ(judged(crashes, c).verdict, Verdict::declined);
}

struct Refused {
  const char* plugin;
  const char* why;
};

class PluginRefused : public testing::TestWithParam<Refused> {};

TEST_P(PluginRefused, with_one_line) {
  const auto backends = isolate_plugin(plugin(GetParam().plugin), isolation);
  ASSERT_FALSE(backends);
  EXPECT_THAT(backends.error().message, AllOf(StartsWith(plugin(GetParam().plugin).string() + ": "),
                                              HasSubstr(GetParam().why), Not(HasSubstr("\n"))));
}

INSTANTIATE_TEST_SUITE_P(
    plugins, PluginRefused,
    testing::Values(Refused{"nowhere", "no such file"}, Refused{"no_plugin", "exports no aesgate_backends()"},
                    Refused{"wrong_abi", "backend 1: abi_version is 2; this program knows 1"},
                    Refused{"tiny_struct", "struct_size is 4"},
                    Refused{"short_struct", "up to finish(), which must be there, it is"},
                    Refused{"null_array", "aesgate_backends() gave null"}, Refused{"empty_array", "names no backend"},
                    Refused{"null_name", "backend 1: name is null"},
                    Refused{"bad_name", "the name \"Faulty AES\" is not of a-z, 0-9, _ and -"},
                    Refused{"null_kind", "faulty: kind is null"},
                    Refused{"bad_kind", "faulty: unknown kind \"magic\"; known: software, instruction"},
                    Refused{"null_unit", "faulty: unit is null"},
                    Refused{"bad_unit", "faulty: the unit \"an abacus\" is not of a-z"},
                    Refused{"null_description", "faulty: description is null"},
                    Refused{"null_probe", "faulty: probe() is null"},
                    Refused{"null_update_for", "faulty: update_for() is null"},
                    Refused{"null_context_size", "faulty: context_size() is null"},
                    Refused{"null_start", "faulty: start() is null"},
                    Refused{"null_finish", "faulty: finish() is null"},
                    Refused{"zero_align", "faulty: context_align is 0; it must be a power of two"},
                    Refused{"odd_align", "faulty: context_align is 24; it must be a power of two"},
                    Refused{"same_name_twice", "backend 2: the name \"faulty\" is there twice"},
                    Refused{"crash_in_constructor", "crashed: SIGSEGV in dlopen()"},
                    Refused{"exit_in_constructor", "failed: it called exit(6) in dlopen()"},
                    Refused{"hang_in_constructor", "timed out: no answer in 1.5 s in dlopen()"},
                    Refused{"crash_in_backends", "crashed: SIGSEGV in aesgate_backends()"},
                    Refused{"throw_in_backends", "a C++ exception in aesgate_backends(): planted"}),
    [](const auto& test) { return std::string(test.param.plugin); });

TEST(isolation, what_is_no_shared_object_is_refused) {
  EXPECT_THAT(isolate_plugin(AESGATE_PLUGINS, isolation).error().message, HasSubstr("is a directory"));
  const auto text = std::filesystem::temp_directory_path() / fmt::format("aesgate_no_object_{}", getpid());
  std::ofstream(text) << std::string(4096, 'x');
  EXPECT_THAT(
      isolate_plugin(text, isolation).error().message,
      AllOf(StartsWith(text.string() + ": no shared object that can be loaded: "), HasSubstr("invalid ELF header"),
            Not(HasSubstr(text.string() + ": no shared object that can be loaded: " + text.string()))));
  std::filesystem::remove(text);
}

TEST(isolation, options_make_a_variant) {
  const auto example = *isolate_plugin(plugin("libexample_plugin"), isolation);
  const auto computed = find_backend("example:sbox=computed", example);
  ASSERT_TRUE(computed) << computed.error().message;
  EXPECT_STREQ((*computed)->name, "example-computed");
  EXPECT_EQ(judged(**computed, message(Mode::cbc, 64)).verdict, Verdict::agree);
  EXPECT_EQ(*find_backend("example:sbox=computed", example), *computed) << "the same variant each time";
  EXPECT_EQ(find_backend("example:sbox=none", example).error().message,
            "backend example:sbox=none: unknown option \"sbox=none\"; known: sbox=table, sbox=computed");
  const auto here = callable(**computed);
  ASSERT_TRUE(here);
  EXPECT_STREQ((*here)->name, "example-computed");
  EXPECT_EQ(driver_of(**here), nullptr);
  const auto crash = find_backend("faulty:x=y", {&isolated("crash_in_configure")});
  EXPECT_EQ(crash.error().message, "backend faulty:x=y: crashed: SIGSEGV in configure()");
}

TEST(isolation, every_built_in_backend_is_one_that_a_plugin_may_have) {
  ASSERT_FALSE(built_in_backends().empty());
  for (const aesgate_backend* backend : built_in_backends_and_forms()) {
    const auto admitted = admit(*backend);
    EXPECT_TRUE(admitted) << admitted.error().message;
  }
}

TEST(isolation, the_built_in_backends_are_a_plugin_too) {
  const auto backends = isolate_plugin(AESGATE_BACKENDS_PLUGIN, isolation);
  ASSERT_TRUE(backends) << backends.error().message;
  ASSERT_EQ(backends->size(), built_in_backends().size());
  for (std::size_t i = 0; i < backends->size(); ++i) {
    const aesgate_backend& there = *(*backends)[i];
    const aesgate_backend& here = *built_in_backends()[i];
    EXPECT_STREQ(there.name, here.name);
    EXPECT_EQ(why_unavailable(there), why_unavailable(here));
    const Judgement judgement = judged(there, message(Mode::cbc, 64));
    EXPECT_EQ(judgement.verdict, judged(here, message(Mode::cbc, 64)).verdict) << here.name << ": " << judgement.reason;
  }
  // In this process they are other functions than those built in.
  const auto loaded = load_plugin(AESGATE_BACKENDS_PLUGIN);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_NE((*loaded)[0]->start, built_in_backends()[0]->start);
  EXPECT_EQ(judged(**find_backend("sbox", *loaded), message(Mode::ofb, 37)).verdict, Verdict::agree);
}

TEST(isolation, a_struct_of_a_later_header_is_taken_and_a_smaller_one_is_not) {
  aesgate_backend other = **find_backend("sbox");
  other.struct_size = sizeof(aesgate_backend) + 8;
  EXPECT_TRUE(admit(other)) << "later versions only append";
  // In the middle of a pointer, too.
  for (const std::size_t less : {1u, 4u, 8u, 100u}) {
    other.struct_size = static_cast<std::uint32_t>(sizeof(aesgate_backend) - less);
    EXPECT_THAT(admit(other).error().message, HasSubstr("up to finish(), which must be there")) << less;
  }
}

TEST(isolation, no_process_is_left_behind) {
  // The main thread may have a worker from another test; one that was lost is gone.
  EXPECT_EQ(verdict_on("exit_in_start"), "failed: it called exit(3) in start()");
  EXPECT_EQ(children().size(), 0u);
  std::thread([&] {
    EXPECT_EQ(verdict_on("child_left_behind"), "agree: ");
    EXPECT_EQ(children().size(), 1u) << "the worker of this thread";
    EXPECT_EQ(verdict_on("exit_in_start"), "failed: it called exit(3) in start()");
    EXPECT_EQ(children().size(), 0u);
    EXPECT_EQ(verdict_on("libexample_plugin"), "agree: ");
    EXPECT_EQ(children().size(), 1u);
  }).join();
  EXPECT_EQ(children().size(), 0u) << "it ends with its thread";
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "not even one that nobody has waited for";
}

TEST(isolation, threads_have_workers_of_their_own) {
  const aesgate_backend& example = isolated("libexample_plugin");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (std::size_t length = 1; length < 100; ++length)
        EXPECT_EQ(judged(example, message(Mode::cfb128, length)).verdict, Verdict::agree);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace aesgate
