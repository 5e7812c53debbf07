#include "perf/instruction_count.h"

#include <chrono>
#include <cstring>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include <fmt/format.h>

#include "emulator/emulator.h"
#include "witness/aes_opcode.h"
#include "witness/shared_trace.h"
#include "witness/single_step.h"

namespace aesgate {
namespace {

using std::chrono::seconds;
using witness::SharedTrace;

constexpr std::size_t warm_calls = 3;
constexpr seconds time_limit{60};

std::vector<std::uint64_t> code_of(std::span<const std::uint64_t> entries) {
  std::vector<std::uint64_t> code;
  for (const std::uint64_t entry : entries)
    if ((entry & SharedTrace::instruction_mark) != 0) code.push_back(entry & ~SharedTrace::instruction_mark);
  return code;
}

/// Takes what comes between the first instruction of a function and its return. In a stepped child, so that what it
/// learns goes to the trace, which is shared, and the rest is the child's own.
class Observer {
 public:
  Observer(std::uint64_t entry, SharedTrace& trace) : entry_(entry), trace_(trace) {}

  bool operator()(const witness::Step& step) const {
    const std::uint64_t stack = step.registers.general[4];  // RSP
    if (!inside_) {
      if (step.address != entry_) return true;
      inside_ = true;
      entry_ = 0;
      stack_ = stack;
      std::memcpy(&return_address_, reinterpret_cast<const void*>(stack), sizeof return_address_);
    }
    if (step.address == return_address_ && stack == stack_ + sizeof return_address_) {
      inside_ = false;
      return true;
    }
    return trace_.add(step);
  }

 private:
  mutable std::uint64_t entry_;  // 0, where no code is: it was there
  mutable bool inside_ = false;
  mutable std::uint64_t stack_ = 0, return_address_ = 0;
  SharedTrace& trace_;
};

/// A call as it was stepped through once; `reason` if it was not, to the end.
struct Once {
  Verdict verdict = Verdict::agree;
  std::string reason;
};

Once step_through(UpdateLoop& loop, std::uint64_t entry, SharedTrace& trace) {
  trace.clear();
  const Observer observer(entry, trace);
  const auto call = [&loop] { loop.call(); };
  const witness::Ending ending = witness::single_step(call, observer, time_limit);
  using How = witness::Ending::How;
  switch (ending.how) {
    case How::returned: break;
    case How::unstepped: return {Verdict::unavailable, describe(ending)};
    case How::exited:
    case How::signalled: return {Verdict::crashed, "single-stepped: " + describe(ending)};
    case How::timed_out: return {Verdict::declined, fmt::format("it takes more than {} s", time_limit.count())};
    case How::stopped:
      if (trace.undecoded() == 0) return {Verdict::declined, fmt::format("more than {} instructions", trace.steps())};
      return {Verdict::declined, fmt::format("the instruction at {:#x} cannot be decoded", trace.undecoded())};
  }
  if (trace.steps() == 0) return {Verdict::unproven, "its update() was not seen"};
  return {};
}

std::size_t count_aes(std::span<const std::uint64_t> code) {
  std::unordered_map<std::uint64_t, bool> known;
  std::size_t count = 0;
  for (const std::uint64_t address : code) {
    const auto [found, added] = known.try_emplace(address, false);
    if (added) found->second = witness::aes_opcode_at(address).is_aes();
    count += found->second;
  }
  return count;
}

CountedCall refused(Verdict verdict, std::string reason) {
  CountedCall counted;
  counted.verdict = verdict;
  counted.reason = std::move(reason);
  return counted;
}

}  // namespace

std::vector<std::uint64_t> CountedCall::code() const { return code_of(trace); }

CountedCall count_instructions(const aesgate_backend& backend, const Workload& workload, const CountOptions& options) {
  CallData data(workload);
  UpdateLoop loop(backend, data);
  if (!loop.start() || !loop.warm_up(warm_calls)) return refused(loop.verdict(), loop.reason());
  const aesgate_shape shape = workload.shape.abi();
  const auto entry = reinterpret_cast<std::uint64_t>(backend.update_for(&backend, &shape));
  SharedTrace first(options.most_instructions), second(options.twice ? options.most_instructions : 0);
  try {
    // Both from this frame: in a deeper one the stack would lie elsewhere.
    for (SharedTrace* trace : {&first, &second}) {
      if (trace == &second && !options.twice) break;
      if (Once once = step_through(loop, entry, *trace); once.verdict != Verdict::agree)
        return refused(once.verdict, std::move(once.reason));
    }
  } catch (const std::system_error& wrong) {
    return refused(Verdict::unavailable, wrong.what());
  }
  const auto entries = first.entries();
  CountedCall counted;
  counted.trace.assign(entries.begin(), entries.end());
  const std::vector<std::uint64_t> code = counted.code();
  if (options.twice && code != code_of(second.entries()))
    return refused(Verdict::unproven, fmt::format("{} instructions, and {} or others for the same call again",
                                                  code.size(), second.steps()));
  counted.instructions = code.size();
  counted.aes_instructions = count_aes(code);
  return counted;
}

std::string why_not_countable(const aesgate_backend& backend) {
  if (emulator::is_emulated(backend)) return "it runs in an emulator, whose instructions are not the unit's";
  if (std::string_view(backend.kind) == "kernel") return "its AES runs in the kernel, which is not stepped through";
  return {};
}

}  // namespace aesgate
