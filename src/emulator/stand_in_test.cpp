// The stand-ins, and the backends on them. A filter stays until its process ends, so each test runs in one of its own.

#include "emulator/stand_in.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/execute.h"
#include "core/judge.h"
#include "core/registry.h"
#include "emulator/emulator.h"
#include "oracle/oracle.h"

namespace aesgate::emulator {
namespace {

using ::testing::HasSubstr;

/// Runs `body` in a child with this stand-in; the child's failures are printed, and are this test's.
void with(std::string_view stand_in, const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto installed = install(stand_in);
    EXPECT_TRUE(installed) << installed.error().message;
    try {
      if (installed) body();
    } catch (const std::exception& exception) {  // or this child would go on with the tests after this one
      ADD_FAILURE() << exception.what();
    }
    std::fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

const aesgate_backend& backend(std::string_view spec) { return **find_backend(spec); }

Case message(Mode mode, std::size_t length, Direction direction = Direction::encrypt) {
  Bytes in(length);
  for (std::size_t i = 0; i < length; ++i) in[i] = static_cast<std::uint8_t>(i * 5 + i / 256);
  return make_case({mode, direction, KeySize::bits256}, Key(KeySize::bits256), Block{9, 8, 7}, std::move(in), length);
}

Judgement judged(const aesgate_backend& which, const Case& c) {
  const auto answer = ask(c);
  EXPECT_TRUE(answer);
  return judge(c, execute(which, c), *answer);
}

std::ptrdiff_t open_descriptors() {
  std::ptrdiff_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
  return n;
}

/// Until the supervisor has seen that everything is closed, which it does in its own time.
void expect_all_closed() {
  for (int i = 0; i < 10'000 && (open_objects() != 0 || open_sessions() != 0); ++i) usleep(1000);
  EXPECT_EQ(open_objects(), 0);
  EXPECT_EQ(open_sessions(), 0);
}

/// Why this machine can have no stand-in; empty if it can.
std::string why_none(std::string_view stand_in) {
  int ends[2];
  if (pipe(ends) != 0) return "pipe() failed";
  const pid_t child = fork();
  if (child == 0) {
    const auto installed = install(stand_in);
    const std::string why = installed ? "" : installed.error().message;
    _exit(write(ends[1], why.data(), why.size()) == static_cast<ssize_t>(why.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string why(512, '\0');
  const ssize_t size = read(ends[0], why.data(), why.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (size < 0 || status != 0) return fmt::format("installing it ended with status {}", status);
  return why.substr(0, static_cast<std::size_t>(size));
}

/// Not on a kernel that lacks what a supervisor needs; but where AESGATE_REQUIRE names one, it must be there.
class StandInTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string why = why_none(stand_in_);
    const char* required = std::getenv("AESGATE_REQUIRE");
    if (required != nullptr && std::string_view(required).find(stand_in_) != std::string_view::npos) {
      ASSERT_EQ(why, "") << stand_in_ << " is required";
    }
    if (!why.empty()) GTEST_SKIP() << why;
  }

  const char* stand_in_ = GetParam();
};

TEST_P(StandInTest, long_and_short_messages_come_out_right) {
  with(stand_in_, [&] {
    const aesgate_backend& under_test = backend(stand_in_);
    ASSERT_EQ(why_unavailable(under_test), "");
    EXPECT_TRUE(is_emulated(under_test));
    EXPECT_THAT(note_on(under_test), HasSubstr("emulated"));
    int shapes = 0;
    for (const Mode mode : all_modes)
      for (const Direction direction : all_directions)
        for (const std::size_t length : {std::size_t{0}, std::size_t{16}, std::size_t{300'000 / 16 * 16}}) {
          const Judgement judgement = judged(under_test, message(mode, length, direction));
          if (judgement.verdict == Verdict::unsupported) continue;
          ++shapes;
          EXPECT_EQ(judgement.verdict, Verdict::agree) << name(mode) << ' ' << length << ' ' << judgement.reason;
        }
    EXPECT_EQ(shapes, std::string_view(stand_in_) == "cryptodev-bsd" ? 6 : 24);
    expect_all_closed();
  });
}

TEST_P(StandInTest, thousands_of_contexts_leave_nothing_open) {
  with(stand_in_, [&] {
    const aesgate_backend& under_test = backend(stand_in_);
    const Case c = message(Mode::cbc, 32);
    ASSERT_EQ(judged(under_test, c).verdict, Verdict::agree);
    const auto before = open_descriptors();
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(execute(under_test, c).status, Status::ok);
    for (const Misbehaviour how : {Misbehaviour::busy, Misbehaviour::refuses_key, Misbehaviour::gone}) {
      plant(how);
      for (int i = 0; i < 300; ++i) ASSERT_NE(execute(under_test, c).status, Status::ok);
    }
    EXPECT_EQ(open_descriptors(), before);
    expect_all_closed();
  });
}

// The backend has seen its device work before; what then goes wrong is a failure, never a wrong answer that is let be.
TEST_P(StandInTest, what_goes_wrong_is_a_failure) {
  const bool tells_iv = std::string_view(stand_in_) == "cryptodev";
  const bool is_socket = std::string_view(stand_in_) == "af_alg";
  with(stand_in_, [&] {
    const aesgate_backend& under_test = backend(stand_in_);
    const Case c = message(Mode::cbc, 64);
    ASSERT_EQ(judged(under_test, c).verdict, Verdict::agree);
    const auto verdict = [&](Misbehaviour how) {
      plant(how);
      return judged(under_test, c).verdict;
    };
    EXPECT_EQ(verdict(Misbehaviour::refuses_key), Verdict::failed);
    EXPECT_EQ(verdict(Misbehaviour::busy), Verdict::failed);
    EXPECT_EQ(verdict(Misbehaviour::gone), Verdict::failed);
    EXPECT_EQ(verdict(Misbehaviour::wrong_data), Verdict::mismatch);
    // A socket says how much it gave; a device that says nothing is seen by the IV, or in the end by what was not
    // written.
    EXPECT_EQ(verdict(Misbehaviour::short_result), is_socket || tells_iv ? Verdict::failed : Verdict::mismatch);
    if (is_socket) {
      EXPECT_EQ(verdict(Misbehaviour::short_acceptance), Verdict::failed);
    }
    if (tells_iv) {
      EXPECT_EQ(verdict(Misbehaviour::wrong_iv), Verdict::failed);
    }
    EXPECT_EQ(verdict(Misbehaviour::none), Verdict::agree);
  });
}

TEST_P(StandInTest, a_device_that_is_not_there_is_unavailable_with_a_reason) {
  with(stand_in_, [&] {
    plant(Misbehaviour::gone);
    const aesgate_backend& under_test = backend(stand_in_);
    EXPECT_THAT(why_unavailable(under_test), HasSubstr("ENOENT"));
    EXPECT_EQ(judged(under_test, message(Mode::cbc, 16)).verdict, Verdict::unavailable);
    plant(Misbehaviour::none);
    EXPECT_EQ(judged(under_test, message(Mode::cbc, 16)).verdict, Verdict::agree);
  });
}

TEST_P(StandInTest, a_key_size_that_is_refused_from_the_start_is_unsupported) {
  with(stand_in_, [&] {
    plant(Misbehaviour::refuses_key);
    const Case c = message(Mode::cbc, 16);
    // /dev/crypto without any cipher has nothing to offer; a socket can be had for a cipher without a key.
    EXPECT_NE(judged(backend(stand_in_), c).verdict, Verdict::agree);
    EXPECT_NE(judged(backend(stand_in_), c).verdict, Verdict::failed);
  });
}

TEST_P(StandInTest, threads_have_contexts_of_their_own) {
  with(stand_in_, [&] {
    const aesgate_backend& under_test = backend(stand_in_);
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (std::size_t t = 1; t <= 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 100; ++i)
          if (judged(under_test, message(Mode::cbc, 16 * t)).verdict == Verdict::agree) ++right;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 400);
  });
}

TEST_P(StandInTest, everything_else_is_the_kernels) {
  with(stand_in_, [&] {
    // Names that begin like those of the stand-ins, and are longer or shorter, are others'.
    for (const char* path : {"/nowhere/at/all", "/dev/crypto-", "/proc/crypto-", "/dev/crypt", ""}) {
      EXPECT_EQ(open(path, O_RDONLY), -1) << path;
      EXPECT_EQ(errno, ENOENT) << path;
    }
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    char byte = 'x';
    iovec data{&byte, 1};
    msghdr header{};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    EXPECT_EQ(sendmsg(ends[0], &header, 0), 1);
    EXPECT_EQ(read(ends[1], &byte, 1), 1);
    EXPECT_EQ(bind(ends[0], nullptr, 0), -1);
  });
}

TEST_P(StandInTest, the_supervisor_ends_with_the_program_however_that_ends) {
  for (const int signal : {0, SIGSEGV, SIGKILL}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      if (!install(stand_in_)) _exit(1);
      const pid_t process = *supervisor();
      if (write(ends[1], &process, sizeof process) != sizeof process) _exit(1);
      if (signal != 0) {
        std::signal(signal, SIG_DFL);
        kill(getpid(), signal);
      }
      _exit(0);
    }
    pid_t process = 0;
    ASSERT_EQ(read(ends[0], &process, sizeof process), static_cast<ssize_t>(sizeof process));
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    close(ends[0]);
    close(ends[1]);
    // It is nobody's child now: gone, or a zombie where no init takes care of those.
    const auto runs = [process] {
      std::FILE* file = std::fopen(fmt::format("/proc/{}/stat", process).c_str(), "r");
      if (file == nullptr) return false;
      char state = 'Z';
      const bool read = std::fscanf(file, "%*d %*s %c", &state) == 1;
      std::fclose(file);
      return read && state != 'Z' && state != 'X';
    };
    for (int i = 0; i < 2000 && runs(); ++i) usleep(1000);
    EXPECT_FALSE(runs()) << "signal " << signal;
  }
}

INSTANTIATE_TEST_SUITE_P(stand_ins, StandInTest, ::testing::Values("af_alg", "cryptodev", "cryptodev-bsd"),
                         [](const auto& test) {
                           std::string text = test.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

TEST(stand_ins, the_calls_are_counted) {
  if (const std::string why = why_none("af_alg"); !why.empty()) GTEST_SKIP() << why;
  with("af_alg", [] {
    const aesgate_backend& under_test = backend("af_alg");
    ASSERT_EQ(judged(under_test, message(Mode::cbc, 16)).verdict, Verdict::agree);
    const auto before = std::array{answered(Counted::accept), answered(Counted::sendmsg), answered(Counted::set_key)};
    Case c = message(Mode::cbc, 48);
    c.chunks = {16, 32};
    ASSERT_EQ(judged(under_test, c).verdict, Verdict::agree);
    EXPECT_EQ(answered(Counted::accept), before[0] + 1);
    EXPECT_EQ(answered(Counted::sendmsg), before[1] + 2);
    EXPECT_EQ(answered(Counted::set_key), before[2] + 1);
  });
  for (const auto& [which, session, crypt, end] :
       {std::tuple("cryptodev", 102u, 104u, 103u), std::tuple("cryptodev-bsd", 106u, 103u, 102u)})
    with(which, [&, name = which, opens = session, does = crypt, ends = end] {
      const aesgate_backend& under_test = backend(name);
      ASSERT_EQ(judged(under_test, message(Mode::cbc, 16)).verdict, Verdict::agree);
      const auto before = std::array{answered_ioctls(opens), answered_ioctls(does), answered_ioctls(ends)};
      ASSERT_EQ(judged(under_test, message(Mode::cbc, 3 * (128u << 10))).verdict, Verdict::agree);
      EXPECT_EQ(answered_ioctls(opens), before[0] + 1);
      EXPECT_EQ(answered_ioctls(does), before[1] + 3);
      EXPECT_EQ(answered_ioctls(ends), before[2] + 1);
    });
}

TEST(stand_ins, there_is_one_device) {
  if (const std::string why = why_none("cryptodev"); !why.empty()) GTEST_SKIP() << why;
  with("cryptodev", [] {
    EXPECT_TRUE(install("cryptodev"));
    EXPECT_TRUE(install("af_alg"));
    const auto other = install("cryptodev-bsd");
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr("one /dev/crypto"));
  });
}

TEST(stand_ins, a_driver_is_named) {
  if (const std::string why = why_none("af_alg"); !why.empty()) GTEST_SKIP() << why;
  with("af_alg", [] {
    const aesgate_backend& variant = backend("af_alg:driver=cbc-aes-stand-in");
    EXPECT_STREQ(variant.name, "af_alg-cbc-aes-stand-in");
    EXPECT_EQ(judged(variant, message(Mode::cbc, 32)).verdict, Verdict::agree);
    EXPECT_EQ(judged(variant, message(Mode::ecb, 32)).verdict, Verdict::unsupported);
    EXPECT_TRUE(is_emulated(variant));
    EXPECT_THAT(remark_on(variant), HasSubstr("CBC by cbc-aes-stand-in (priority 100)"));
    EXPECT_THAT(why_unavailable(backend("af_alg:driver=cbc-aes-nobody")), HasSubstr("cbc-aes-nobody (ENOENT)"));
  });
}

TEST(stand_ins, bad_options_get_a_reason) {
  const auto reason = [](std::string_view spec) {
    const auto found = find_backend(spec);
    return found ? std::string("none") : found.error().message;
  };
  EXPECT_THAT(reason("af_alg:engine=x"), HasSubstr("known: driver=NAME"));
  EXPECT_THAT(reason("af_alg:driver="), HasSubstr("known: driver=NAME"));
  EXPECT_THAT(reason("af_alg:driver=xyz"), HasSubstr("which mode driver \"xyz\" does"));
  EXPECT_THAT(reason("af_alg:driver=cbc-aes-a,driver=cbc-aes-b"), HasSubstr("two drivers for CBC"));
  EXPECT_THAT(reason("af_alg:driver=cbc-aes-" + std::string(64, 'x')), HasSubstr("at most 63 bytes"));
  EXPECT_THAT(reason("cryptodev:numbers=bsd"), HasSubstr("known: form=bsd"));
  EXPECT_EQ(find_backend("af_alg:driver=cbc-aes-a").value(), find_backend("af_alg:driver=cbc-aes-a").value());
}

}  // namespace
}  // namespace aesgate::emulator
