// The unit by itself: raw instructions, registers, memory. What a driver makes of it is tested beside the backend.

#include "emulator/padlock_unit.h"

#if defined(__x86_64__) && defined(__linux__)

#include <array>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "backends/coprocessor/padlock_schedule.h"
#include "core/bytes.h"
#include "core/trap.h"
#include "emulator/padlock.h"
#include "emulator/raw_xcrypt.h"

namespace aesgate::emulator {
namespace {

constexpr std::uint32_t raw_128 = 0x00a;
constexpr std::uint32_t schedule_192 = 0x48c;
constexpr std::uint32_t schedule_256 = 0x88e;
constexpr std::uint32_t decrypt = 0x200;
constexpr std::uint32_t intermediate = 0x100;

template <std::size_t n>
std::string hex(const Aligned<n>& x) {
  return to_hex(x.bytes);
}

// FIPS-197 appendix C: one plaintext, keys 00 01 02 …
constexpr const char* plaintext = "00112233445566778899aabbccddeeff";
constexpr const char* ciphertext_128 = "69c4e0d86a7b0430d8cdb78070b4c55a";

class Padlock : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(install_padlock());
    set_padlock_options({});
    reset_padlock_counters();
    for (std::size_t i = 0; i < 32; ++i) key.bytes[i] = static_cast<std::uint8_t>(i);
    set(source, plaintext);
    set_control(raw_128);
  }
  void TearDown() override { set_padlock_options({}); }

  template <std::size_t n>
  static void set(Aligned<n>& target, const std::string& text) {
    const Bytes bytes = from_hex(text).value();
    std::copy(bytes.begin(), bytes.end(), target.bytes.begin());
  }
  void set_control(std::uint32_t word) {
    for (std::size_t i = 0; i < 4; ++i) control.bytes[i] = static_cast<std::uint8_t>(word >> 8 * i);
  }
  [[nodiscard]] Registers registers(std::uint64_t blocks = 1) const {
    return {chain.at(), key.at(), blocks, control.at(), source.at(), target.at()};
  }
  /// What the instruction raised; 0 if nothing.
  template <int op>
  static Crash crash(Registers r) {
    auto call = [&r] { reload_key<op>(r); };
    return run_trapped(call).value_or(Crash{});
  }

  Aligned<256> key;
  Aligned<16> control, chain;
  Aligned<64> source, target;
};

TEST_F(Padlock, encrypts_and_decrypts_by_a_key_that_it_expands_itself) {
  Registers r = registers();
  const Registers before = r;
  reload_key<ecb>(r);
  EXPECT_EQ(hex(target).substr(0, 32), ciphertext_128);
  EXPECT_EQ(hex(target).substr(32), std::string(96, '0'));
  EXPECT_EQ(r.rcx, 0u);
  EXPECT_EQ(r.rsi, before.rsi + 16);
  EXPECT_EQ(r.rdi, before.rdi + 16);
  EXPECT_EQ(r.rax, before.rax);
  EXPECT_EQ(r.rbx, before.rbx);
  EXPECT_EQ(r.rdx, before.rdx);
  EXPECT_EQ(hex(chain), std::string(32, '0'));

  set_control(raw_128 | decrypt);
  set(source, ciphertext_128);
  r = registers();
  reload_key<ecb>(r);
  EXPECT_EQ(hex(target).substr(0, 32), plaintext);
}

TEST_F(Padlock, takes_a_schedule_of_192_and_256_bits_as_it_lies_in_memory) {
  const Aligned<256> raw = key;
  padlock_expand_key<12>(key.bytes.data(), raw.bytes.data());
  set_control(schedule_192);
  Registers r = registers();
  reload_key<ecb>(r);
  EXPECT_EQ(hex(target).substr(0, 32), "dda97ca4864cdfe06eaf70a0ec0d7191");

  padlock_expand_key<14>(key.bytes.data(), raw.bytes.data());
  set_control(schedule_256);
  r = registers();
  reload_key<ecb>(r);
  EXPECT_EQ(hex(target).substr(0, 32), "8ea2b7ca516745bfeafc49904b496089");

  padlock_invert_schedule<14>(key.bytes.data());
  set_control(schedule_256 | decrypt);
  r = registers();
  r.rsi = target.at();  // in place
  reload_key<ecb>(r);
  EXPECT_EQ(hex(target).substr(0, 32), plaintext);
}

TEST_F(Padlock, gives_an_intermediate_result) {
  // FIPS-197 appendix C.1, round[2].start: one round with MixColumns.
  set_control((raw_128 & ~15u) | 1 | intermediate);
  Registers r = registers();
  reload_key<ecb>(r);
  EXPECT_EQ(hex(target).substr(0, 32), "89d810e8855ace682d1843d8cb128fe4");
}

TEST_F(Padlock, takes_the_prefix_several_times) {
  Registers r = registers();
  constexpr int op = ecb;
  RUN_XCRYPT(".byte 0xf3, 0xf3\n\t", "");
  EXPECT_EQ(hex(target).substr(0, 32), ciphertext_128);
}

TEST_F(Padlock, cbc_points_to_the_last_ciphertext_or_leaves_it_in_memory) {
  Registers r = registers(2);
  reload_key<cbc>(r);
  EXPECT_EQ(r.rax, target.at(16));
  EXPECT_EQ(hex(chain), std::string(32, '0')) << "the IV was to stay";

  const Aligned<64> ciphertext = target;
  set_control(raw_128 | decrypt);
  r = registers(2);
  r.rsi = r.rdi;  // in place
  reload_key<cbc>(r);
  EXPECT_EQ(r.rax, chain.at());
  EXPECT_EQ(hex(target), hex(source));
  EXPECT_EQ(hex(chain), hex(ciphertext).substr(32, 32));
}

TEST_F(Padlock, cfb_and_ofb_leave_the_chaining_value_in_one_of_two_places) {
  for (const ChainPointer pointer : {ChainPointer::as_in_cbc, ChainPointer::stays}) {
    set_padlock_options({.chain_pointer = pointer});
    set_control(raw_128);
    chain = {};
    Registers r = registers(2);
    reload_key<cfb>(r);
    const bool moves = pointer == ChainPointer::as_in_cbc;
    EXPECT_EQ(r.rax, moves ? target.at(16) : chain.at());
    EXPECT_EQ(hex(chain), moves ? std::string(32, '0') : hex(target).substr(32, 32));

    const Aligned<64> ciphertext = target;
    set_control(raw_128 | decrypt);
    chain = {};
    r = registers(2);
    r.rsi = r.rdi;
    reload_key<cfb>(r);
    EXPECT_EQ(r.rax, chain.at());
    EXPECT_EQ(hex(target), hex(source));
    EXPECT_EQ(hex(chain), hex(ciphertext).substr(32, 32));

    set_control(raw_128);
    chain = {};
    source = {};
    r = registers(2);
    reload_key<ofb>(r);
    EXPECT_EQ(r.rax, chain.at());
    EXPECT_EQ(hex(chain), hex(target).substr(32, 32)) << "of zeros, OFB's output is the keystream";
    set(source, plaintext);
  }
}

TEST_F(Padlock, keeps_its_key_until_it_is_made_to_load_another) {
  Registers r = registers();
  reload_key<ecb>(r);
  ASSERT_EQ(hex(target).substr(0, 32), ciphertext_128);
  key.bytes[0] ^= 1;
  r = registers();
  keep_key<ecb>(r);
  EXPECT_EQ(hex(target).substr(0, 32), ciphertext_128) << "this key was stale";
  // Nor does another address make a difference.
  Aligned<256> elsewhere = key;
  r = registers();
  r.rbx = elsewhere.at();
  keep_key<ecb>(r);
  EXPECT_EQ(hex(target).substr(0, 32), ciphertext_128);
  EXPECT_EQ(padlock_counters().key_loads, 1u);
  r = registers();
  reload_key<ecb>(r);
  EXPECT_NE(hex(target).substr(0, 32), ciphertext_128);
  EXPECT_EQ(padlock_counters().key_loads, 2u);
}

TEST_F(Padlock, a_key_for_decryption_is_none_for_encryption) {
  set_control(raw_128 | decrypt);
  Registers r = registers();
  reload_key<ecb>(r);
  set_control(raw_128);
  r = registers();
  keep_key<ecb>(r);
  EXPECT_NE(hex(target).substr(0, 32), ciphertext_128);
}

TEST_F(Padlock, each_thread_has_a_key_of_its_own) {
  Registers r = registers();
  reload_key<ecb>(r);
  std::thread([this] {
    Padlock_each_thread_has_a_key_of_its_own_Test& t = *this;
    t.key.bytes[0] ^= 1;
    Registers mine = t.registers();
    keep_key<ecb>(mine);  // the thread's first use
    EXPECT_NE(hex(t.target).substr(0, 32), ciphertext_128);
  }).join();
  r = registers();
  keep_key<ecb>(r);
  EXPECT_EQ(hex(target).substr(0, 32), ciphertext_128);
  EXPECT_EQ(padlock_counters().key_loads, 2u);
}

TEST_F(Padlock, no_blocks_are_no_memory) {
  Registers r;
  reload_key<cbc>(r);
  EXPECT_EQ(padlock_counters().key_loads, 0u);
  EXPECT_EQ(padlock_counters().alignment_faults, 0u);
}

TEST_F(Padlock, an_address_that_is_not_aligned_is_a_protection_fault) {
  std::uint64_t faults = 0;
  for (std::uint64_t Registers::*which :
       {&Registers::rax, &Registers::rbx, &Registers::rdx, &Registers::rsi, &Registers::rdi}) {
    Registers r = registers();
    r.*which += 8;
    const Crash cbc_crash = crash<cbc>(r);
    EXPECT_EQ(cbc_crash.signal, SIGSEGV);
    EXPECT_EQ(cbc_crash.address, nullptr);
    EXPECT_EQ(padlock_counters().alignment_faults, ++faults);
  }
  // ECB has no chaining value.
  Registers r = registers();
  r.rax += 8;
  EXPECT_EQ(crash<ecb>(r).signal, 0);
  EXPECT_EQ(hex(target).substr(0, 32), ciphertext_128);
}

TEST_F(Padlock, a_control_word_without_a_meaning_is_a_protection_fault) {
  std::uint64_t faults = 0;
  for (const std::uint32_t word : {raw_128 | 0x10u, 0x40cu, 0x80eu, 0xc8au, 0x000u}) {
    set_control(word);
    EXPECT_EQ(crash<ecb>(registers()).signal, SIGSEGV) << word;
    EXPECT_EQ(padlock_counters().control_faults, ++faults);
  }
}

/// A page with one after it that may not be touched.
class LastPage {
 public:
  LastPage() : memory_(mmap(nullptr, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    EXPECT_EQ(mprotect(memory_, size, PROT_READ | PROT_WRITE), 0);
  }
  ~LastPage() { munmap(memory_, 2 * size); }
  LastPage(const LastPage&) = delete;
  LastPage& operator=(const LastPage&) = delete;
  [[nodiscard]] std::uint64_t end() const { return reinterpret_cast<std::uint64_t>(memory_) + size; }

 private:
  static constexpr std::size_t size = 4096;
  void* memory_;
};

TEST_F(Padlock, fetches_ahead_of_its_source) {
  const LastPage page;
  const auto fault_near_end = [&]<int op>(std::uint64_t clear) {
    Registers r = registers(3);
    r.rsi = page.end() - clear - 48;
    reset_padlock_counters();
    const Crash now = crash<op>(r);
    EXPECT_EQ(padlock_counters().prefetch_faults, now.signal == SIGSEGV ? 1u : 0u);
    if (now.signal != 0) {
      EXPECT_EQ(now.address, reinterpret_cast<void*>(page.end()));
      EXPECT_EQ(now.access, Crash::Access::read);
    }
    return now.signal == SIGSEGV;
  };
  const auto clear_needed = [&]<int op>() {
    for (std::uint64_t clear = 0; clear <= 256; clear += 16)
      if (!fault_near_end.template operator()<op>(clear)) return clear;
    return ~std::uint64_t{0};
  };
  EXPECT_EQ(clear_needed.template operator()<ecb>(), 32u);
  EXPECT_EQ(clear_needed.template operator()<cbc>(), 16u);
  EXPECT_EQ(clear_needed.template operator()<cfb>(), 0u);
  EXPECT_EQ(clear_needed.template operator()<ofb>(), 0u);
  set_padlock_options({.ecb_ahead = 8, .cbc_ahead = 4});
  EXPECT_EQ(clear_needed.template operator()<ecb>(), 128u);
  EXPECT_EQ(clear_needed.template operator()<cbc>(), 64u);
}

TEST_F(Padlock, memory_that_is_not_there_faults_where_it_is_touched) {
  const LastPage page;
  Registers r = registers(2);
  r.rdi = page.end() - 16;
  Crash now = crash<ecb>(r);
  EXPECT_EQ(now.signal, SIGSEGV);
  EXPECT_EQ(now.address, reinterpret_cast<void*>(page.end()));
  EXPECT_EQ(now.access, Crash::Access::write);
  EXPECT_EQ(padlock_counters().prefetch_faults, 0u);
  // The key: sixteen round keys are read, though the raw key has sixteen bytes.
  r = registers();
  r.rbx = page.end() - 240;
  now = crash<ecb>(r);
  EXPECT_EQ(now.signal, SIGSEGV);
  EXPECT_EQ(now.address, reinterpret_cast<void*>(page.end()));
}

TEST_F(Padlock, counts_what_it_does) {
  Registers r = registers(4);
  reload_key<ecb>(r);
  r = registers(3);
  keep_key<cbc>(r);
  set_control(schedule_256);
  r = registers(2);
  reload_key<ofb>(r);
  const PadlockCounters counters = padlock_counters();
  EXPECT_THAT(counters.instructions, ::testing::ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(counters.blocks, ::testing::ElementsAre(4, 3, 0, 2));
  EXPECT_EQ(counters.key_loads, 2u);
  EXPECT_EQ(counters.modelled_clocks, 5u * 10 + 3u * 20 + 2u * 28);
  reset_padlock_counters();
  EXPECT_EQ(padlock_counters().modelled_clocks, 0u);
}

}  // namespace
}  // namespace aesgate::emulator

#endif
