#include "props/constant_time/trace_job.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "props/constant_time/message.h"
#include "witness/shared_trace.h"
#include "witness/single_step.h"

namespace aesgate::constant_time {
namespace {

using witness::Difference;
using witness::SharedTrace;

constexpr std::size_t most_steps_of_short_calls = 1u << 19;  // some ten seconds
constexpr std::size_t most_steps_of_long_calls = 1u << 16;
constexpr std::chrono::seconds time_limit{60};

/// The place of an instruction; asked once, since reading debug information takes long.
const witness::CodePlace& known_place(std::uint64_t address) {
  static std::map<std::uint64_t, witness::CodePlace> places;
  const auto found = places.find(address);
  return found != places.end() ? found->second : places.emplace(address, witness::place_of(address)).first->second;
}

Leak leak_of(const Difference& difference) {
  const bool jump = difference.kind == Difference::Kind::way;
  return {
      known_place(difference.instruction),
      jump ? fmt::format("the way depends on what is secret: after the instruction at {:#x} came {:#x} with one key, "
                         "{:#x} with another",
                         difference.instruction, difference.first, difference.second)
           : fmt::format("an address depends on what is secret: the instruction at {:#x} touched {:#x} with one key, "
                         "{:#x} with another",
                         difference.instruction, difference.first, difference.second),
      1};
}

/// The traces of one message with one secret after the other.
class Comparison {
 public:
  Comparison(const Job& job, const aesgate_backend& backend, const Shape& shape, const std::vector<std::size_t>& calls,
             std::size_t most_steps)
      : message_(backend, shape, calls), first_(most_steps), other_(most_steps) {
    // All of them now: between two children nothing may be allocated.
    for (std::size_t i = 0; i < job.keys; ++i)
      secrets_.push_back(make_secrets(shape, message_.text().size(), job.seed, i));
  }

  enum class End { same, different, too_long, failed };
  struct Outcome {
    End end = End::failed;
    std::string reason;  // of failed
    std::optional<Difference> difference;
  };

  [[nodiscard]] Outcome run() {
    // What a backend sets up in its first call, and the dynamic linker at the first call of a function, is done here.
    message_.set(secrets_[0]);
    if (const Status status = message_.run(); status != Status::ok)
      return {End::failed, fmt::format("the backend answered \"{}\"", name(status)), {}};
    // Each trace begins in this frame: in a deeper one the stack would be elsewhere.
    std::optional<Difference> found;
    for (std::size_t number = 0; number < secrets_.size(); number = found ? 0 : number + 1) {
      const Outcome traced = trace(number, number == 0 && !found ? first_ : other_);
      if (found) return traced.end == End::same ? judged(*found) : traced;
      // One that takes too long, where the first did not, went another way.
      if (number > 0 && traced.end != End::failed) found = first_difference(first_, other_);
      if (traced.end != End::same && !found) return traced;
    }
    return {End::same, {}, {}};
  }

  [[nodiscard]] std::size_t steps() const { return first_.steps(); }

 private:
  Outcome trace(std::size_t number, SharedTrace& to) {
    message_.set(secrets_[number]);
    to.clear();
    const auto observer = [&](const witness::Step& step) { return to.add(step); };
    const auto run = [this] { (void)message_.run(); };
    const witness::Ending ending = witness::single_step(run, observer, time_limit);
    using How = witness::Ending::How;
    if (ending.how == How::returned) return {End::same, {}, {}};
    if (ending.how != How::stopped) return {End::failed, fmt::format("single-stepped: {}", describe(ending)), {}};
    if (to.undecoded() == 0) return {End::too_long, {}, {}};
    return {
        End::failed, fmt::format("the instruction in {} cannot be decoded", to_text(known_place(to.undecoded()))), {}};
  }

  /// A difference is the secret's if the same key, in the other trace once more, makes none.
  Outcome judged(const Difference& difference) const {
    if (const auto random = first_difference(first_, other_))
      return {End::failed,
              fmt::format("two runs with the same key differ, at {}", to_text(known_place(random->instruction))),
              {}};
    return {End::different, {}, difference};
  }

  Message message_;
  SharedTrace first_, other_;
  std::vector<Secrets> secrets_;
};

/// Adds what a comparison says to the answer; true if there is more to ask.
bool take(const Comparison::Outcome& outcome, ShapeAnswer& answer) {
  using End = Comparison::End;
  if (outcome.end == End::same) return true;
  answer.reason = outcome.reason;
  answer.state = ShapeAnswer::State::failed;
  if (outcome.end != End::different) return false;
  answer.state = ShapeAnswer::State::leaks;
  answer.leaks.push_back(leak_of(*outcome.difference));
  return false;
}

/// No shape before it in the job has its mode and direction.
bool is_first_key_size(const Job& job, std::size_t number) {
  const Shape& shape = all_shapes()[number];
  const auto is_like_it = [&](std::size_t other) {
    return all_shapes()[other].mode == shape.mode && all_shapes()[other].direction == shape.direction;
  };
  return *std::ranges::find_if(job.shapes, is_like_it) == number;
}

}  // namespace

ShapeAnswer check_with_traces(const Job& job, const aesgate_backend& backend, std::size_t number) {
  const Shape& shape = all_shapes()[number];
  ShapeAnswer answer;
  answer.shape = number;
  answer.state = ShapeAnswer::State::clean;
  Comparison short_ones(job, backend, shape, short_calls(shape), most_steps_of_short_calls);
  const auto outcome = short_ones.run();
  answer.steps = short_ones.steps();
  if (!take(outcome, answer)) {
    if (outcome.end == Comparison::End::too_long)
      answer.reason = fmt::format("short calls take more than {} instructions", most_steps_of_short_calls);
    return answer;
  }
  const std::vector<std::size_t> calls = long_calls(shape);
  if (calls.empty() || job.short_calls_only || (!job.all_long_traces && !is_first_key_size(job, number))) return answer;
  Comparison long_ones(job, backend, shape, calls, most_steps_of_long_calls);
  const auto long_outcome = long_ones.run();
  answer.steps += long_ones.steps();
  if (long_outcome.end == Comparison::End::too_long)
    answer.long_calls = false;
  else
    (void)take(long_outcome, answer);
  return answer;
}

}  // namespace aesgate::constant_time
