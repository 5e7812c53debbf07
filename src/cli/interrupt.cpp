#include "cli/interrupt.h"

#include <utility>

#include <unistd.h>

namespace aesgate {

Interrupt::Interrupt(std::function<void(int)> last_words) {
  sigemptyset(&signals_);
  // What whoever started us ignores, such as nohup SIGHUP, stays ignored.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) == 0 && present.sa_handler != SIG_IGN) sigaddset(&signals_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &previous_);
  thread_ = std::jthread([this, last_words = std::move(last_words)](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const timespec interval{0, 50'000'000};
      const int signal = sigtimedwait(&signals_, nullptr, &interval);
      if (signal <= 0) continue;
      last_words(signal);
      _exit(128 + signal);
    }
  });
}

Interrupt::~Interrupt() {
  thread_.request_stop();
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

}  // namespace aesgate
