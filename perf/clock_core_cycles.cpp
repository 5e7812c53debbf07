#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

#if defined(__linux__) && defined(__x86_64__)
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "perf/clock.h"

namespace aesgate {

#if defined(__linux__) && defined(__x86_64__)

namespace {

/// The counter of one thread's core cycles, as perf_event_open(2) shows it in its page: `offset` and what
/// RDPMC says, together valid while `lock` stays the same.
class CoreCycles final : public Clock {
 public:
  CoreCycles(int file, perf_event_mmap_page* page, std::size_t size) : file_(file), page_(page), size_(size) {
    description_.name = "core cycles, perf_event read by LFENCE; RDPMC; LFENCE";
    description_.unit = "core cycle";
    description_.counts_core_cycles = true;
  }
  ~CoreCycles() override {
    munmap(page_, size_);
    close(file_);
  }
  std::uint64_t start() override { return read(); }
  std::uint64_t stop() override { return read(); }

 private:
  std::uint64_t read() {
    const volatile perf_event_mmap_page& page = *page_;
    while (true) {
      const std::uint32_t sequence = page.lock;
      asm volatile("" : : : "memory");
      const std::uint32_t index = page.index;
      const std::int64_t offset = page.offset;
      const unsigned unused_bits = 64u - page.pmc_width;
      std::uint64_t low = 0;
      std::uint64_t high = 0;
      if (index == 0) return read_by_system_call();
      asm volatile("lfence\n\trdpmc\n\tlfence" : "=a"(low), "=d"(high) : "c"(index - 1) : "memory");
      if (page.lock != sequence) continue;
      // The hardware's counter is pmc_width bits wide and signed.
      const auto count = static_cast<std::int64_t>((high << 32 | low) << unused_bits) >> unused_bits;
      return static_cast<std::uint64_t>(offset + count);
    }
  }

  /// While the event is not on a hardware counter. Slower, so the calibration will not agree and the
  /// sample drops out; a count that cannot be read stands still, which no calibration agrees with either.
  std::uint64_t read_by_system_call() {
    std::uint64_t count = 0;
    if (::read(file_, &count, sizeof count) == static_cast<ssize_t>(sizeof count)) last_ = count;
    return last_;
  }

  int file_;
  std::uint64_t last_ = 0;
  perf_event_mmap_page* page_;
  std::size_t size_;
};

}  // namespace

Result<std::unique_ptr<Clock>> core_cycle_clock() {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.config = PERF_COUNT_HW_CPU_CYCLES;
  wanted.exclude_kernel = 1;  // all that perf_event_paranoid = 2 allows, and all that is wanted
  wanted.exclude_hv = 1;
  wanted.pinned = 1;  // never multiplexed
  const auto file = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (file < 0) {
    const int reason = errno;
    const char* hint = reason == EACCES || reason == EPERM ? "; see /proc/sys/kernel/perf_event_paranoid"
                       : reason == ENOENT                  ? ": this CPU, or the virtual machine, has no cycle counter"
                                                           : "";
    return error("no core cycle counter: perf_event_open: {}{}", std::strerror(reason), hint);
  }
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    const int reason = errno;
    close(file);
    return error("no core cycle counter: mmap of the perf_event: {}", std::strerror(reason));
  }
  auto* page = static_cast<perf_event_mmap_page*>(memory);
  if (page->cap_user_rdpmc == 0 || page->index == 0) {
    const char* why = page->cap_user_rdpmc == 0 ? "/sys/devices/cpu/rdpmc forbids RDPMC" : "all counters are in use";
    munmap(memory, size);
    close(file);
    return error("no core cycle counter: {}", why);
  }
  return std::make_unique<CoreCycles>(file, page, size);
}

#else

Result<std::unique_ptr<Clock>> core_cycle_clock() {
  return error("no core cycle counter that a process can read by itself is known for this architecture");
}

#endif

}  // namespace aesgate
