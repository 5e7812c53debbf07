#include "perf/pinned_thread.h"

namespace aesgate {

PinnedThread::PinnedThread() {
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  const int here = sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(here), &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0) cpu_ = here;
}

PinnedThread::~PinnedThread() {
  if (cpu_ >= 0) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace aesgate
