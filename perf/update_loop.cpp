#include "perf/update_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/trap.h"

namespace aesgate {
namespace {

using std::chrono::steady_clock;

/// A context does not begin where the buffers do within their pages: a load of a round key would wait for a store to
/// the output that has the same low twelve bits.
constexpr std::size_t context_offset = 2048;

std::size_t offset_for(std::size_t align) { return align <= context_offset ? context_offset : 0; }

std::span<std::uint8_t> context_in(const AlignedBytes& memory, std::size_t align) {
  return memory.bytes().subspan(offset_for(align));
}

AlignedBytes memory_for(const aesgate_backend& backend, const Shape& shape) {
  const std::size_t size = std::max<std::size_t>(Session::context_size(backend, shape), 1);
  return AlignedBytes(offset_for(backend.context_align) + size, backend.context_align);
}

/// The time of `calls` calls if it is less than `least_seconds`, else the shortest of three: in one of them
/// the thread may have waited for its CPU. Nothing if a call failed.
std::optional<double> shortest_run(UpdateLoop& loop, Clock& clock, std::size_t calls, double least_seconds) {
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3 && shortest >= least_seconds; ++i) {
    double units = 0;
    const auto from = steady_clock::now();
    if (!loop.run(calls, clock, units)) return std::nullopt;
    shortest = std::min(shortest, std::chrono::duration<double>(steady_clock::now() - from).count());
  }
  return shortest;
}

}  // namespace

AlignedBytes::AlignedBytes(std::size_t size, std::size_t align)
    : size_(size),
      memory_(new (std::align_val_t(std::max(align, page))) std::uint8_t[size], Release{std::max(align, page)}) {}

void AlignedBytes::Release::operator()(std::uint8_t* memory) const {
  ::operator delete[](memory, std::align_val_t(align));
}

CallData::CallData(const Workload& workload)
    : workload_(workload),
      filler_(workload.seed),
      key_(workload.shape.key_size),
      input_(workload.offset + workload.bytes),
      output_(workload.in_place ? 0 : workload.offset + workload.bytes),
      target_((workload.in_place ? input_ : output_).bytes().data() + workload.offset),
      length_(workload.bytes * 8 / unit_bits(workload.shape.mode)) {
  renew_input();
  std::ranges::fill(output_.bytes(), std::uint8_t{0});  // its pages are there before the first sample
  fill(key_.bytes());
  fill(iv_);
}

void CallData::renew_input() {
  fill(input_.bytes());
  if (workload_.timed == Timed::key_setup) fill(key_.bytes());
}

/// SplitMix64.
void CallData::fill(std::span<std::uint8_t> bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t z = filler_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    std::memcpy(&bytes[i], &z, std::min(sizeof z, bytes.size() - i));
  }
}

void spin(std::uint64_t steps) {
  for (; steps != 0; --steps) asm volatile("" : "+r"(steps));
}

UpdateLoop::UpdateLoop(const aesgate_backend& backend, CallData& data)
    : data_(data),
      context_(memory_for(backend, data.workload().shape)),
      session_(backend, data.workload().shape, context_in(context_, backend.context_align)) {}

template <typename Call>
bool UpdateLoop::came_back(Call& call, const char* what) {
  if (const auto crash = run_trapped(call)) {
    session_.abandon();
    verdict_ = Verdict::crashed;
    reason_ = fmt::format("{} in {}", name(*crash), what);
    return false;
  }
  if (status_ == Status::ok) return true;
  verdict_ = Verdict::failed;
  reason_ = fmt::format("{} said: {}", what, name(status_));
  return false;
}

bool UpdateLoop::start() {
  auto call = [&] { status_ = session_.start(data_.key(), data_.iv()); };
  return came_back(call, "start()");
}

bool UpdateLoop::run(std::size_t calls, Clock& clock, double& units, std::uint64_t steps) {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  const std::uint8_t* in = data_.input();
  std::uint8_t* out = data_.target();
  const std::size_t length = data_.length();
  const bool is_update = data_.workload().timed == Timed::update;
  auto call = [&] {
    from = clock.start();
    status_ = is_update ? session_.repeat_update(in, out, length, calls)
                        : session_.repeat_start(data_.key(), data_.iv(), calls);
    spin(steps);
    to = clock.stop();
  };
  if (!came_back(call, is_update ? "update() while it was timed" : "start() while it was timed")) return false;
  units = static_cast<double>(to - from) - clock.description().overhead;
  return true;
}

bool UpdateLoop::warm_up(std::size_t calls) {
  auto call = [&] { status_ = session_.repeat_update(data_.input(), data_.target(), data_.length(), calls); };
  return came_back(call, "update()");
}

std::size_t choose_calls(UpdateLoop& loop, Clock& clock, double least_seconds) {
  for (std::size_t calls = 1;; calls *= 2) {
    const auto seconds = shortest_run(loop, clock, calls, least_seconds);
    if (!seconds) return 0;
    if (*seconds < least_seconds) continue;
    // The last doubling may have been more than was needed; a tenth on top for a core that gets faster yet.
    const double needed = std::ceil(1.1 * least_seconds / *seconds * static_cast<double>(calls));
    return std::min(calls, static_cast<std::size_t>(needed));
  }
}

long context_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw + usage.ru_nvcsw;
}

}  // namespace aesgate
