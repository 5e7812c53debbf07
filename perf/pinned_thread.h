#pragma once

#include <sched.h>

namespace aesgate {

/// PinnedThread: keeps the calling thread on the CPU that it runs on, until it is destroyed, on the same
/// thread; then the thread may go where it could before.
class PinnedThread {
 public:
  PinnedThread();
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

  /// The CPU, or -1 if the system does not pin.
  [[nodiscard]] int cpu() const { return cpu_; }

 private:
  cpu_set_t before_{};
  int cpu_ = -1;
};

}  // namespace aesgate
