#include "witness/backend_call.h"

#include <unistd.h>
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/secret.h"
#include "core/session.h"
#include "core/splitmix.h"
#include "witness/block_states.h"
#include "witness/code_place.h"
#include "witness/single_step.h"

namespace aesgate::witness {
namespace {

/// Is any AES instruction of this backend one too many?
bool wants_none(const aesgate_backend& backend) {
  const Claim claim = parse_claim(backend.unit);
  return claim == Claim::none || claim == Claim::gfni || claim == Claim::kernel;
}

/// Is there something that has to run?
bool is_about_something(const aesgate_backend& backend) {
  const Claim claim = parse_claim(backend.unit);
  return claim != Claim::none && claim != Claim::any && claim != Claim::other;
}

/// Asked once for each, since reading debug information takes long.
const std::string& place_text(std::uint64_t address) {
  static std::map<std::uint64_t, std::string> places;
  const auto found = places.find(address);
  return found != places.end() ? found->second : places.emplace(address, to_text(place_of(address))).first->second;
}

/// A message with a random key and text, and the call that is made of it. The buffers stay where they are.
class SteppedCall {
 public:
  SteppedCall(const aesgate_backend& backend, const Shape& shape, std::size_t length, const CallKind& kind = {})
      : backend_(backend),
        shape_(shape),
        kind_(kind),
        first_length_(kind.is_second ? first_length(shape) : 0),
        length_(length),
        key_(shape.key_size),
        message_(bytes_for(shape.mode, first_length_ + length)),
        input_(message_.size() + most_offset),
        output_(input_.size()) {
    std::uint64_t seed = length << 32 | index(shape) << 24;
    const auto random = [&seed] { return static_cast<std::uint8_t>(splitmix(seed++) >> 56); };
    std::ranges::generate(key_.bytes(), random);
    std::ranges::generate(iv_, random);
    std::ranges::generate(message_, random);
  }

  /// The first status that is not ok. `around` is given what to call.
  template <typename Around>
  Status run(const Around& around) {
    std::uint8_t* const in = begin_of(input_);
    std::uint8_t* const out = begin_of(kind_.in_place ? input_ : output_);
    const std::size_t first_bytes = bytes_for(shape_.mode, first_length_);
    std::ranges::copy(message_, in);
    Session session(backend_, shape_);
    Status status = session.start(std::as_const(key_).bytes().data(), has_iv(shape_.mode) ? iv_.data() : nullptr);
    if (status == Status::ok && first_length_ > 0) status = session.update(in, out, first_length_);
    if (status == Status::ok) around([&] { status = session.update(in + first_bytes, out + first_bytes, length_); });
    return status;
  }

  [[nodiscard]] std::uint64_t patience() const {
    return is_about_something(backend_) ? witness::patience : ~std::uint64_t{0};
  }

  CallEvidence step(const CallCounter::Limits& limits, std::chrono::seconds limit) {
    CallEvidence evidence;
    evidence.rounds = key_bytes(shape_.key_size) / 4 + 6;
    evidence.blocks = known().blocks - blocks_of_first();
    evidence.least_blocks = is_block_mode(shape_.mode) || evidence.blocks == 1 ? evidence.blocks : evidence.blocks - 1;
    alarm(static_cast<unsigned>(limit.count()));  // which ends this process
    const Status status = run([](const auto& call) { call(); });
    alarm(0);
    if (status != Status::ok) {
      evidence.reason = fmt::format("the backend answered \"{}\"", name(status));
      return evidence;
    }
    evidence.right = std::ranges::equal(known().output,
                                        std::span(begin_of(kind_.in_place ? input_ : output_), known().output.size()));
    CallCounter counter(limits);
    const auto function = [&] {
      pause_steps();
      const Status stepped = run([&](const auto& call) {
        counter.begin();
        call();
        counter.end();
      });
      if (stepped != Status::ok) _exit(refused);
      resume_steps();
    };
    const auto observer = [&](const Step& step) { return counter.add(step); };
    read_ending(single_step(function, observer, limit), counter, evidence);
    evidence.counts = counter.counts();
    read_matches(counter, evidence);
    if (const std::uint64_t first = evidence.counts.first_aes_address; first != 0 && wants_none(backend_))
      evidence.first_aes_place = place_text(first);
    return evidence;
  }

 private:
  static constexpr int refused = 97;
  static constexpr std::size_t most_offset = 1;

  static void read_ending(const Ending& ending, const CallCounter& counter, CallEvidence& evidence) {
    using How = Ending::How;
    if (ending.how == How::stopped) {
      evidence.end = CallEvidence::End::cut_short;
    } else if (ending.how != How::returned) {
      evidence.reason = fmt::format("single-stepped: {}", describe(ending));
    } else if (!counter.saw_the_end()) {
      evidence.reason = "it switched the single steps off";
    } else if (counter.counts().undecoded_address != 0) {
      evidence.reason =
          fmt::format("an instruction in {} cannot be decoded", place_text(counter.counts().undecoded_address));
    } else {
      evidence.end = CallEvidence::End::complete;
    }
  }

  const KnownMessage& known() {
    if (known_.blocks == 0)
      known_ = known_message(shape_, std::as_const(key_).bytes(), iv_, message_, first_length_ + length_);
    return known_;
  }

  [[nodiscard]] std::size_t blocks_of_first() const { return first_length_ / segment_units(shape_.mode); }

  /// Buffers are at multiples of 16, as operator new has it.
  [[nodiscard]] std::uint8_t* begin_of(Bytes& buffer) const {
    return buffer.data() + (kind_.misaligned ? most_offset : 0);
  }

  /// Each known state counts once, however often it was seen.
  void read_matches(const CallCounter& counter, CallEvidence& evidence) {
    std::vector<Block> open = known().last_states;
    std::ranges::sort(open);
    std::vector<bool> taken(open.size());
    std::uint64_t last_step = 0;
    for (const LastRound& last : counter.last_rounds()) {
      auto at = static_cast<std::size_t>(std::ranges::lower_bound(open, last.state) - open.begin());
      while (at < open.size() && open[at] == last.state && taken[at]) ++at;
      if (at == open.size() || open[at] != last.state) continue;
      taken[at] = true;
      ++evidence.matched[last.width];
      last_step = last.step;
    }
    evidence.steps_since_match = evidence.counts.steps - last_step;
  }

  const aesgate_backend& backend_;
  const Shape shape_;
  const CallKind kind_;
  const std::size_t first_length_, length_;
  Key key_;
  Block iv_{};
  Bytes message_, input_, output_;
  KnownMessage known_;
};

CallEvidence step_within(StepBudget& budget, std::uint64_t most, SteppedCall call, std::chrono::seconds limit) {
  CallEvidence evidence = call.step({std::min(most, std::max(budget.left, budget.least)), call.patience()}, limit);
  budget.left -= std::min(budget.left, evidence.counts.steps);
  return evidence;
}

/// Would a longer call tell more? The width may change with the length; and so may a decision for the instructions.
bool wants_long_call(Claim claim, const Shape& shape, const CallEvidence& call) {
  if (call.end == CallEvidence::End::unseen) return false;
  if (claim == Claim::none) return call.counts.aes_instructions == 0;
  return is_of_aes_instructions(claim) && is_judged_by_width(shape) && sum(call.matched) >= call.blocks &&
         call.matched[claimed_width(claim)] * 2 <= call.blocks;
}

}  // namespace

ShapeEvidence witness_shape(const aesgate_backend& backend, std::size_t shape_number, StepBudget& budget,
                            std::chrono::seconds limit) {
  const Shape& shape = all_shapes()[shape_number];
  const Claim claim = parse_claim(backend.unit);
  ShapeEvidence evidence;
  evidence.shape = shape_number;
  evidence.call = step_within(budget, budget.most, {backend, shape, telling_length(claim, shape)}, limit);
  if (!wants_long_call(claim, shape, evidence.call)) return evidence;
  const std::uint64_t most = claim == Claim::none ? budget.beginning : budget.most;
  if (most > 0) evidence.long_call = step_within(budget, most, {backend, shape, long_length(shape)}, limit);
  return evidence;
}

bool is_of_all_calls(Claim claim) {
  return is_of_aes_instructions(claim) || claim == Claim::gfni || claim == Claim::key_locker || claim == Claim::xcrypt;
}

FurtherCall witness_further(const aesgate_backend& backend, std::size_t shape_number, const CallKind& kind,
                            StepBudget& budget, std::chrono::seconds limit) {
  const Shape& shape = all_shapes()[shape_number];
  const Claim claim = parse_claim(backend.unit);
  const std::size_t length = kind.is_long ? further_length(shape) : telling_length(claim, shape);
  SteppedCall call(backend, shape, length, kind);
  FurtherCall further{kind, call.step({budget.most, patience, budget.further}, limit)};
  // What came may be on other data, and the message's still to come.
  if (is_of_aes_instructions(claim) && further.call.end == CallEvidence::End::cut_short &&
      sum(further.call.matched) == 0 && further.call.counts.steps < patience)
    further.call = call.step({budget.most, patience}, limit);
  return further;
}

}  // namespace aesgate::witness
