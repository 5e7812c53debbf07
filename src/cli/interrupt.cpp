#include "cli/interrupt.h"

#include <utility>

#include <unistd.h>

namespace aesgate {

Interrupt::Interrupt(std::function<void(int)> last_words) {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
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
