#include "witness/signal_relay.h"

#include <algorithm>
#include <array>

#include <pthread.h>

namespace aesgate::witness {
namespace {

/// A signal to a process group reaches its members one after the other, with what else the machine does in between.
constexpr std::chrono::milliseconds same_signal{100};
constexpr std::chrono::milliseconds patience{20};

constexpr std::array stops{SIGTSTP, SIGTTIN, SIGTTOU};
constexpr std::array passed_on{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

}  // namespace

SignalRelay::SignalRelay() {
  sigemptyset(&taken_);
  sigaddset(&taken_, SIGCHLD);
  for (const int signal : stops) sigaddset(&taken_, signal);
  for (const int signal : passed_on) sigaddset(&taken_, signal);
  pthread_sigmask(SIG_BLOCK, &taken_, &previous_);
}

SignalRelay::~SignalRelay() {
  // SIGCHLDs that are left say nothing any more, and the others came too late for the program.
  const timespec now{};
  while (sigtimedwait(&taken_, nullptr, &now) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

SignalRelay::Came SignalRelay::wait(Clock::time_point until) {
  if (!ours_.empty()) until = std::min(until, ours_.front().at + patience);
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - Clock::now()).count();
  const timespec limit{std::max<long>(left, 0) / 1'000'000'000, std::max<long>(left, 0) % 1'000'000'000};
  siginfo_t info{};
  const int signal = sigtimedwait(&taken_, &info, &limit);
  if (signal <= 0 || signal == SIGCHLD) return {};
  if (std::find(stops.begin(), stops.end(), signal) != stops.end()) return {signal, true};
  // Of a kernel's signal, which is a terminal's, the whole group got one.
  if (info.si_code <= 0) ours_.push_back({signal, info.si_pid, Clock::now()});
  return {signal, false};
}

void SignalRelay::program_gets(int signal, pid_t sender) { theirs_.push_back({signal, sender, Clock::now()}); }

std::vector<int> SignalRelay::due() {
  const auto now = Clock::now();
  std::erase_if(theirs_, [&](const Known& known) { return known.at + same_signal < now; });
  std::erase_if(ours_, [&](const Known& known) {
    return std::any_of(theirs_.begin(), theirs_.end(), [&](const Known& other) {
      return other.signal == known.signal && other.sender == known.sender;
    });
  });
  std::vector<int> signals;
  for (const Known& known : ours_)
    if (known.at + patience <= now) signals.push_back(known.signal);
  std::erase_if(ours_, [&](const Known& known) { return known.at + patience <= now; });
  return signals;
}

}  // namespace aesgate::witness
