#include "emulator/padlock.h"

#if defined(__x86_64__) && defined(__linux__)

#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/aesgate_backend.h"
#include "core/trap.h"
#include "emulator/emulator.h"
#include "emulator/raw_xcrypt.h"

namespace aesgate::emulator {
namespace {

using ::testing::HasSubstr;

// What is not the unit's. These begin in a process of their own, so that they say which handler comes first.

void undefined() { asm volatile("ud2"); }
void unit_without_prefix() { asm volatile(".byte 0x0f, 0xa7, 0xc8"); }
void unit_with_another_prefix() { asm volatile(".byte 0xf2, 0x0f, 0xa7, 0xc8"); }
void montgomery_multiplier() { asm volatile(".byte 0xf3, 0x0f, 0xa6, 0xc0"); }

class PadlockDeath : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

/// Does the unit run, and a fault in a trapped call come back from it?
bool works() {
  Aligned<256> key;
  Aligned<16> control;
  Aligned<64> data;
  control.bytes[0] = 0x0a;
  Registers r{0, key.at(), 1, control.at(), data.at(), data.at()};
  auto call = [&r] { reload_key<ecb>(r); };
  const bool ran = !run_trapped(call) && data.bytes[0] == 0x66;  // SP 800-38A's zeros: 66e94bd4ef8a2c3b…
  r = {0, key.at(), 1, control.at(), data.at(8), data.at()};
  const auto misaligned = run_trapped(call);
  auto foreign = [] { undefined(); };
  const auto trapped = run_trapped(foreign);
  return ran && misaligned && misaligned->signal == SIGSEGV && trapped && trapped->signal == SIGILL;
}

TEST_F(PadlockDeath, other_undefined_instructions_end_the_process) {
  for (void (*instruction)() : {undefined, unit_without_prefix, unit_with_another_prefix, montgomery_multiplier}) {
    const auto run = [instruction] {
      if (!install_padlock() || !works()) std::_Exit(1);
      instruction();
      std::_Exit(0);
    };
    EXPECT_EXIT(run(), ::testing::KilledBySignal(SIGILL), "");
  }
}

TEST_F(PadlockDeath, a_signal_that_somebody_sends_ends_the_process) {
  const auto run = [] {
    if (!install_padlock()) std::_Exit(1);
    std::raise(SIGILL);
    std::_Exit(0);
  };
  EXPECT_EXIT(run(), ::testing::KilledBySignal(SIGILL), "");
}

TEST_F(PadlockDeath, a_fault_outside_of_a_trapped_call_ends_the_process) {
  const auto run = [] {
    if (!install_padlock()) std::_Exit(1);
    Registers r{1, 1, 1, 1, 1, 1};
    keep_key<ecb>(r);
    std::_Exit(0);
  };
  EXPECT_EXIT(run(), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(PadlockDeath, works_after_the_traps_too) {
  const auto run = [] {
    auto foreign = [] { undefined(); };
    if (!run_trapped(foreign) || !install_padlock() || !works()) std::_Exit(1);
    undefined();
    std::_Exit(0);
  };
  EXPECT_EXIT(run(), ::testing::KilledBySignal(SIGILL), "");
}

/// A handler such as libFuzzer's: it reports, and ends the process.
void report_and_exit(int, siginfo_t*, void*) { std::_Exit(77); }
void install_report() {
  struct sigaction action {};
  action.sa_sigaction = report_and_exit;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, nullptr);
}

TEST_F(PadlockDeath, a_fuzzers_handler_gets_what_is_not_the_units) {
  const auto run = [](bool traps_first) {
    auto nothing = [] {};
    if (traps_first && run_trapped(nothing)) std::_Exit(1);
    // libFuzzer leaves a handler that is there alone; here it is later than the traps, and both are in the chain.
    install_report();
    if (!install_padlock()) std::_Exit(1);
    if (traps_first) {
      Aligned<256> key;
      Aligned<16> control;
      control.bytes[0] = 0x0a;
      Registers r{0, key.at(), 1, control.at(), key.at(), key.at()};
      reload_key<ecb>(r);
    } else if (!works()) {
      std::_Exit(1);
    }
    undefined();
    std::_Exit(0);
  };
  EXPECT_EXIT(run(false), ::testing::ExitedWithCode(77), "");
  EXPECT_EXIT(run(true), ::testing::ExitedWithCode(77), "");
}

TEST(PadlockInstallation, is_asked_for_by_name) {
  const auto unknown = install("niagara");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "unknown emulator \"niagara\"; known: padlock, af_alg, cryptodev, cryptodev-bsd");
  remove_padlock();
  aesgate_backend backend{};
  backend.name = "some";
  backend.unit = "xcrypt";
  EXPECT_EQ(emulator_for(backend), "padlock");
  EXPECT_FALSE(is_emulated(backend));
  EXPECT_EQ(note_on(backend), "");
  ASSERT_TRUE(install("padlock"));
  ASSERT_TRUE(install("padlock"));
  EXPECT_TRUE(is_emulated(backend));
  EXPECT_THAT(note_on(backend), HasSubstr("some: emulated"));
  backend.unit = "aes.xmm";
  EXPECT_EQ(emulator_for(backend), "");
  EXPECT_FALSE(is_emulated(backend));
  remove_padlock();
  EXPECT_FALSE(padlock_is_installed());
}

TEST(PadlockInstallation, is_asked_for_by_the_environment) {
  remove_padlock();
  ASSERT_EQ(setenv("AESGATE_EMULATE", "", 1), 0);
  ASSERT_TRUE(install_from_environment());
  EXPECT_FALSE(padlock_is_installed());
  ASSERT_EQ(setenv("AESGATE_EMULATE", "padlock, niagara", 1), 0);
  const auto installed = install_from_environment();
  ASSERT_FALSE(installed);
  EXPECT_EQ(installed.error().message,
            "AESGATE_EMULATE: unknown emulator \"niagara\"; known: padlock, af_alg, cryptodev, cryptodev-bsd");
  EXPECT_FALSE(padlock_is_installed());
  ASSERT_EQ(setenv("AESGATE_EMULATE", " padlock", 1), 0);
  ASSERT_TRUE(install_from_environment());
  EXPECT_TRUE(padlock_is_installed());
  unsetenv("AESGATE_EMULATE");
  remove_padlock();
}

}  // namespace
}  // namespace aesgate::emulator

#endif
