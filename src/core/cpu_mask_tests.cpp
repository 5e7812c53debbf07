// That hiding AES-NI from a library has an effect, whatever the library says of itself: a process starts with the mask,
// decrypts some blocks with one backend an instruction at a time, and counts those that do AES.

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <ucontext.h>

#include "core/bytes.h"
#include "core/cpu.h"
#include "core/cpu_mask.h"
#include "core/cpu_mask_note.h"
#include "core/registry.h"
#include "core/session.h"

namespace aesgate {
namespace {

constexpr std::uint64_t trap_flag = 0x100;  // EFLAGS.TF: a trap after every instruction (Intel SDM volume 3, 17.3.1.4)

volatile sig_atomic_t aes_instructions = 0;

/// AESENC, AESENCLAST, AESDEC, AESDECLAST, AESIMC or AESKEYGENASSIST, in the legacy, VEX or EVEX encoding (Intel SDM
/// volume 2, their pages and section 2.7): opcodes DB to DF of map 0F 38, and DF of 0F 3A.
bool does_aes(const std::uint8_t* p) {
  const auto in_map = [](unsigned map, std::uint8_t opcode) {
    return (map == 2 && opcode >= 0xdb && opcode <= 0xdf) || (map == 3 && opcode == 0xdf);
  };
  if (p[0] == 0xc4) return (p[2] & 3) == 1 && in_map(p[1] & 0x1f, p[3]);
  if (p[0] == 0x62) return (p[2] & 3) == 1 && in_map(p[1] & 7, p[4]);
  if (*p++ != 0x66) return false;
  if ((*p & 0xf0) == 0x40) ++p;  // REX
  if (p[0] != 0x0f) return false;
  return in_map(p[1] == 0x38 ? 2 : p[1] == 0x3a ? 3 : 0, p[2]);
}

void count_instruction(int, siginfo_t*, void* context) {
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (does_aes(reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]))) aes_instructions = aes_instructions + 1;
}

void write_flags(std::uint64_t set, std::uint64_t cleared) {
  std::uint64_t flags = __builtin_ia32_readeflags_u64();
  flags = (flags | set) & ~cleared;
  __builtin_ia32_writeeflags_u64(flags);
}

/// CBC decryption of 64 blocks by the backend, key schedule and all; the second time, since the first one also sets a
/// library up, with millions of instructions.
int count(const char* backend) {
  const auto found = find_backend(backend);
  if (!found || !why_unavailable(**found).empty()) return 3;
  struct sigaction action {};
  action.sa_sigaction = count_instruction;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  const std::array<std::uint8_t, 16> key{1, 2, 3};
  Bytes text(64 * block_bytes);
  const auto decrypt = [&] {
    Session session(**found, Shape{Mode::cbc, Direction::decrypt, KeySize::bits128});
    return session.start(key.data(), key.data()) == Status::ok &&
           session.update(text.data(), text.data(), text.size()) == Status::ok;
  };
  if (!decrypt()) return 4;
  write_flags(trap_flag, 0);
  const bool done = decrypt();
  write_flags(0, trap_flag);
  if (!done) return 4;
  std::printf("%d %s\n", static_cast<int>(aes_instructions), note_on_cpu_mask(**found).c_str());
  return 0;
}

struct Counted {
  int aes_instructions = -1;
  std::string note;
};

/// count() in a process that starts with this mask.
Counted with_mask(const std::string& mask, const std::string& backend) {
  char program[4096]{};
  EXPECT_GT(readlink("/proc/self/exe", program, sizeof program - 1), 0);
  const std::string command = "AESGATE_CPU_MASK='" + mask + "' '" + program + "' --count " + backend;
  FILE* const pipe = popen(command.c_str(), "r");
  char line[512]{};
  EXPECT_NE(std::fgets(line, sizeof line, pipe), nullptr) << command;
  EXPECT_EQ(pclose(pipe), 0) << command;
  char* rest = line;
  Counted counted;
  counted.aes_instructions = static_cast<int>(std::strtol(line, &rest, 10));
  counted.note = rest;
  return counted;
}

class Library : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto backend = find_backend(GetParam());
    ASSERT_TRUE(backend);
    if (const std::string why = why_unavailable(**backend); !why.empty()) GTEST_SKIP() << why;
    if (!has(Feature::aes)) GTEST_SKIP() << why_not(Feature::aes);
  }
};

class ToldLibrary : public Library {};
class UntoldLibrary : public Library {};

TEST_P(ToldLibrary, UsesNoAesInstructionOnceTheyAreHidden) {
  const Counted plain = with_mask("", GetParam());
  EXPECT_GE(plain.aes_instructions, 10) << "the count would not see them";
  EXPECT_EQ(plain.note, " \n");
  const Counted masked = with_mask("aes", GetParam());
  EXPECT_EQ(masked.aes_instructions, 0);
  EXPECT_THAT(masked.note, testing::StartsWith(" --cpu-mask aes: told by "));
}

TEST_P(UntoldLibrary, IsSaidToUseWhatIsHidden) {
  const Counted masked = with_mask("aes", GetParam());
  EXPECT_GE(masked.aes_instructions, 10) << "then it can be told";
  EXPECT_THAT(masked.note, testing::HasSubstr("cannot be told"));
}

INSTANTIATE_TEST_SUITE_P(CpuMask, ToldLibrary, testing::Values("openssl", "libgcrypt", "nettle", "botan", "cryptopp"),
                         [](const auto& library) { return std::string(library.param); });
INSTANTIATE_TEST_SUITE_P(CpuMask, UntoldLibrary, testing::Values("mbedtls"),
                         [](const auto& library) { return std::string(library.param); });

/// One more than AES: 256 bits of it at a time.
TEST(CpuMask, HidesVaesFromAesgateAndItsLibrariesAndLeavesAes) {
  if (!has(Feature::vaes)) GTEST_SKIP() << why_not(Feature::vaes);
  EXPECT_GE(with_mask("vaes", "aesni").aes_instructions, 10);
  EXPECT_GE(with_mask("vaes", "libgcrypt").aes_instructions, 4 * with_mask("", "libgcrypt").aes_instructions / 3);
}

}  // namespace
}  // namespace aesgate

int main(int argc, char** argv) {
  if (const auto started = aesgate::start_with_cpu_mask(argv); !started) {
    std::fprintf(stderr, "%s\n", started.error().message.c_str());
    return 2;
  }
  if (argc == 3 && std::string_view(argv[1]) == "--count") return aesgate::count(argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
