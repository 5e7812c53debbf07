#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "abi/aesgate_backend.h"
#include "core/bytes.h"
#include "core/secret.h"
#include "core/session.h"
#include "core/shape.h"
#include "core/status.h"
#include "perf/clock.h"

namespace aesgate {

/// Timed: what a call that is timed is: update(), or a key set-up: start() and the finish() that belongs to it.
enum class Timed { update, key_setup };

/// Workload: the calls that are timed.
struct Workload {
  Shape shape;
  std::size_t bytes = 0;  // that a call takes, above 0; bytes * 8 bits in CFB1
  bool in_place = false;
  std::uint64_t seed = 1;  // of key, IV and data
  std::size_t offset = 0;  // at which input and output begin in their pages; at most max_offset
  Timed timed = Timed::update;

  static constexpr std::size_t max_offset = 255;  // as far as a Case can place a buffer (Spot::max_distance)
};

/// Memory that begins on a page, or on `align` where that is more, so that every run lies alike.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size, std::size_t align = page);
  [[nodiscard]] std::span<std::uint8_t> bytes() const { return {memory_.get(), size_}; }

 private:
  static constexpr std::size_t page = 4096;
  struct Release {
    std::size_t align;
    void operator()(std::uint8_t* memory) const;
  };
  std::size_t size_;
  std::unique_ptr<std::uint8_t, Release> memory_;
};

/// CallData: what the calls of a workload take and where their output goes. Backends that are compared share it, so
/// that where it lies is the same for all of them.
class CallData {
 public:
  explicit CallData(const Workload& workload);

  /// New data as input, and a new key where key set-up is what is timed: no two are alike. 16 KiB take 2 µs.
  void renew_input();

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const std::uint8_t* key() const { return key_.bytes().data(); }
  [[nodiscard]] const std::uint8_t* iv() const { return iv_.data(); }
  [[nodiscard]] const std::uint8_t* input() const { return input_.bytes().data() + workload_.offset; }
  [[nodiscard]] std::uint8_t* target() const { return target_; }
  [[nodiscard]] std::size_t length() const { return length_; }  // of a call, in units

 private:
  void fill(std::span<std::uint8_t> bytes);

  Workload workload_;
  std::uint64_t filler_;
  Key key_;
  Block iv_{};
  AlignedBytes input_, output_;
  std::uint8_t* target_;
  std::size_t length_;
};

/// Takes `steps` steps of a chain that is there to take time: a core cycle each on most CPUs.
void spin(std::uint64_t steps);

/// UpdateLoop: a context of a backend, and the loop of calls that is timed.
class UpdateLoop {
 public:
  /// `data` outlives it.
  UpdateLoop(const aesgate_backend& backend, CallData& data);

  /// Before the first run(). False, here and below: verdict() and reason() say what the backend did.
  [[nodiscard]] bool start();

  /// `calls` calls of what the workload says, and then a spin() of `steps`; `units` is what they took of the clock,
  /// without its overhead.
  [[nodiscard]] bool run(std::size_t calls, Clock& clock, double& units, std::uint64_t steps = 0);

  /// `calls` calls that are not timed.
  [[nodiscard]] bool warm_up(std::size_t calls);

  /// One call, for who watches it: what becomes of it is not known here.
  void call() { (void)session_.update(data_.input(), data_.target(), data_.length()); }

  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] Verdict verdict() const { return verdict_; }  // agree: every call came back with AESGATE_OK

 private:
  template <typename Call>
  bool came_back(Call& call, const char* what);

  CallData& data_;
  AlignedBytes context_;
  Session session_;
  Status status_ = Status::ok;
  Verdict verdict_ = Verdict::agree;
  std::string reason_;
};

/// How many calls make a sample: doubled until they last long enough, which warms the code up too. 0 if
/// a call failed.
[[nodiscard]] std::size_t choose_calls(UpdateLoop& loop, Clock& clock, double least_seconds);

/// How often another thread got this one's CPU. Between two readings that agree a sample may still hold
/// somebody else's time slice.
[[nodiscard]] long context_switches();

}  // namespace aesgate
