#include "core/migration.h"

#include <algorithm>
#include <cerrno>

#include <sched.h>

namespace aesgate {
namespace {

cpu_set_t* set(std::vector<std::byte>& memory) { return reinterpret_cast<cpu_set_t*>(memory.data()); }

// sched_getaffinity() fails while the set is smaller than the kernel's own; none known has more CPUs than this.
constexpr std::size_t most_cpus = 1u << 16;

// Each may have to wait until whoever runs on that CPU gives it up, some milliseconds; and what a move breaks, the
// first ones break.
constexpr unsigned most_moves = 4;

}  // namespace

Migration::Migration() {
  for (std::size_t count = 1024; count <= most_cpus; count *= 2) {
    all_.assign(CPU_ALLOC_SIZE(count), std::byte{});
    if (sched_getaffinity(0, all_.size(), set(all_)) != 0) continue;
    for (std::size_t cpu = 0; cpu < count; ++cpu)
      if (CPU_ISSET_S(cpu, all_.size(), set(all_))) cpus_.push_back(static_cast<int>(cpu));
    break;
  }
  one_.assign(all_.size(), std::byte{});
}

Migration::~Migration() {
  if (possible()) sched_setaffinity(0, all_.size(), set(all_));
}

void Migration::next() noexcept {
  if (!possible() || moves_ == most_moves) return;
  ++moves_;
  const int error = errno;
  CPU_ZERO_S(one_.size(), set(one_));
  at_ = (at_ + 1) % cpus_.size();
  CPU_SET_S(static_cast<std::size_t>(cpus_[at_]), one_.size(), set(one_));
  // The thread is on that CPU when the call returns. One that has gone offline is passed over.
  sched_setaffinity(0, one_.size(), set(one_));
  errno = error;
}

}  // namespace aesgate
