#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace aesgate {

/// Interrupt: while it lives, SIGINT, SIGTERM and SIGHUP call `last_words` with the signal in a thread of its own, and
/// then end the process with status 128 + signal (130 for Ctrl-C), whatever the other threads do. Made before them:
/// they inherit a mask in which these signals are blocked.
class Interrupt {
 public:
  explicit Interrupt(std::function<void(int signal)> last_words);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

 private:
  sigset_t signals_{}, previous_{};
  std::jthread thread_;
};

}  // namespace aesgate
