#include "witness/proof.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace aesgate::witness {
namespace {

using End = CallEvidence::End;

/// No user-space AES takes fewer instructions a block, but what does many blocks at a time with AES instructions, or a
/// bit-sliced circuit over 512 bits, which comes close: so fewer have only asked somebody else to do it.
constexpr std::uint64_t fewest_steps_a_block = 40;

std::size_t widest(const ByWidth& lanes) { return lanes[2] > 0 ? 4 : lanes[1] > 0 ? 2 : 1; }

/// Each block went through all rounds of AES instructions.
bool ran_aes_instructions(const CallEvidence& call) {
  return sum(call.matched) >= call.least_blocks &&
         sum(call.counts.round_lanes) >= call.least_blocks * (call.rounds - 1);
}

std::size_t bulk_width(const CallEvidence& call) {
  return static_cast<std::size_t>(std::ranges::max_element(call.matched) - call.matched.begin());
}

/// A compiler may do the last round of what is not needed of a block (in CFB1 and CFB8, most of it) in another way.
bool ran_gfni(const CallEvidence& call) {
  return call.counts.aes_instructions == 0 &&
         sum(call.counts.galois_inverse_lanes) >= call.least_blocks * (call.rounds - 1);
}

bool asked_the_kernel(const CallEvidence& call) {
  return call.counts.system_calls > 0 && call.counts.aes_instructions == 0 &&
         (call.counts.system_calls >= call.blocks || call.counts.steps < call.blocks * fewest_steps_a_block);
}

std::string first_instruction(const CallEvidence& call) {
  return fmt::format("{} AES instruction{}, the first in {}", call.counts.aes_instructions,
                     call.counts.aes_instructions == 1 ? "" : "s", call.first_aes_place);
}

std::string what_ran_instead(const CallEvidence& call) {
  if (const std::string ran = ran_on(call); !ran.empty() && ran != "none") return fmt::format("it ran on {}", ran);
  const CallCounts& counts = call.counts;
  const std::string steps =
      fmt::format("{}{} instructions", call.end == End::cut_short ? "its first " : "its ", counts.steps);
  if (counts.aes_instructions == 0) return fmt::format("none of {} is an AES instruction", steps);
  const std::uint64_t lanes = sum(counts.last_lanes), done = sum(call.matched);
  if (lanes >= call.least_blocks && done < call.least_blocks)
    return fmt::format(
        "{} blocks went through last rounds of AES instructions, but only {} of the message's {}: its "
        "answers come from elsewhere",
        lanes, done, call.blocks);
  if (done >= call.least_blocks)
    return fmt::format("AES instructions did {} rounds of {} blocks, which have {}", sum(counts.round_lanes) + lanes,
                       call.blocks, call.rounds * call.blocks);
  return fmt::format("AES instructions did {} of {} blocks", done, call.blocks);
}

constexpr const char* wrong = "its answer is wrong, so that what ran says nothing";

/// The judgement of one call by one claim.
class Judge {
 public:
  Judge(std::string_view unit, const Shape& shape, const ShapeEvidence& evidence)
      : unit_(unit), claim_(parse_claim(unit)), shape_(shape), evidence_(evidence), call_(evidence.call) {}

  ShapeProof judge() {
    proof_.shape = evidence_.shape;
    if (call_.end == End::unseen) return said(Proof::unknown, call_.reason);
    if (!call_.right) return said(Proof::unknown, wrong);
    proof_.ran = ran_on(call_);
    const ShapeProof first = judge_call();
    if (first.proof == Proof::refuted || !is_of_all_calls(claim_)) return first;
    for (const FurtherCall& further : evidence_.further_calls)
      if (const std::string other = what_else_ran(further.call); !other.empty())
        return said(Proof::refuted,
                    fmt::format("in a call of {} blocks ({}) {}", further.call.blocks, to_text(further.kind), other));
    for (const FurtherCall& further : evidence_.further_calls)
      if (further.call.end == End::unseen || !further.call.right)
        return said(Proof::unknown, fmt::format("of a call ({}): {}", to_text(further.kind),
                                                further.call.end == End::unseen ? further.call.reason : wrong));
    return first;
  }

 private:
  ShapeProof judge_call() {
    switch (claim_) {
      case Claim::none: return judge_none();
      case Claim::aes_xmm:
      case Claim::vaes_ymm:
      case Claim::vaes_zmm: return judge_aes();
      case Claim::gfni: return judge_gfni();
      case Claim::key_locker: return judge_count(call_.counts.key_locker_lanes, "Key Locker's instructions");
      case Claim::xcrypt: return judge_count(call_.counts.xcrypt_blocks, "XCRYPT");
      case Claim::kernel: return judge_kernel();
      case Claim::any: return judge_any();
      case Claim::other: break;
    }
    return said(Proof::unknown, fmt::format("\"{}\" is no unit that can be seen on this architecture; {}", unit_,
                                            proof_.ran.empty() ? what_ran_instead(call_) : "it ran on " + proof_.ran));
  }

  /// What refutes a claim in a further call, in words; empty if nothing does.
  [[nodiscard]] std::string what_else_ran(const CallEvidence& call) const {
    const CallCounts& counts = call.counts;
    if (call.end == End::unseen || !call.right || counts.thread_calls > 0) return {};
    if (claim_ == Claim::gfni && counts.aes_instructions > 0) return "it ran " + first_instruction(call);
    const std::uint64_t begun = claim_ == Claim::gfni         ? sum(counts.galois_inverse_lanes)
                                : claim_ == Claim::xcrypt     ? counts.xcrypt_blocks
                                : claim_ == Claim::key_locker ? counts.key_locker_lanes
                                                              : sum(call.matched);
    const bool done = claim_ == Claim::gfni            ? ran_gfni(call)
                      : is_of_aes_instructions(claim_) ? ran_aes_instructions(call)
                                                       : begun >= call.least_blocks;
    if (call.end == End::cut_short ? counts.steps >= patience && begun == 0 : !done) return what_ran_instead(call);
    return narrower_bulk(call);
  }

  /// In what is long enough for a width to show: of some calls only the beginning is.
  [[nodiscard]] std::string narrower_bulk(const CallEvidence& call) const {
    constexpr std::uint64_t enough = 24;
    const std::uint64_t done = sum(call.matched);
    if (!is_of_aes_instructions(claim_) || !is_judged_by_width(shape_) || call.blocks < 256 || done < enough ||
        call.matched[claimed_width(claim_)] * 2 > done)
      return {};
    return fmt::format("{} of the {} blocks that were seen ran on {}", call.matched[bulk_width(call)], done,
                       unit_of_width(bulk_width(call)));
  }

  ShapeProof said(Proof proof, std::string reason = {}) {
    proof_.proof = proof;
    proof_.reason = std::move(reason);
    return proof_;
  }

  /// Neither refuted nor complete: what was seen so far fits.
  ShapeProof seen_so_far() {
    proof_.cut_short = true;
    return said(Proof::consistent,
                fmt::format("what its first {} instructions show; more were not looked at", call_.counts.steps));
  }

  /// Another thread's instructions are not seen.
  /// It may still come.
  [[nodiscard]] bool is_too_early() const { return call_.end == End::cut_short && call_.counts.steps < patience; }

  [[nodiscard]] bool had_help() const { return call_.counts.thread_calls > 0; }
  ShapeProof with_help() {
    return said(Proof::consistent, "it starts or waits for other threads, whose instructions are not seen");
  }

  ShapeProof judge_none() {
    if (call_.counts.aes_instructions > 0) return said(Proof::refuted, "it ran " + first_instruction(call_));
    if (evidence_.long_call && evidence_.long_call->counts.aes_instructions > 0)
      return said(Proof::refuted, fmt::format("in a call of {} blocks it ran {}", evidence_.long_call->blocks,
                                              first_instruction(*evidence_.long_call)));
    if (had_help()) return with_help();
    if (proof_.ran == "kernel") return said(Proof::consistent, "it ran no AES instruction, and asked the kernel");
    if ((proof_.cut_short = call_.end == End::cut_short))
      return said(Proof::consistent, fmt::format("none of its first {} instructions is an AES instruction; more were "
                                                 "not looked at",
                                                 call_.counts.steps));
    if (call_.counts.galois_instructions > 0) proof_.note = "it runs GFNI's instructions, which are not AES's";
    return said(Proof::proven);
  }

  ShapeProof judge_aes() {
    if (!ran_aes_instructions(call_)) {
      if (had_help()) return with_help();
      // AES instructions on other data say no more than none.
      if (call_.end == End::cut_short && call_.steps_since_match < patience) return seen_so_far();
      return said(Proof::refuted, what_ran_instead(call_));
    }
    if (is_judged_by_width(shape_)) {
      const std::size_t width = claimed_width(claim_);
      const CallEvidence* bulk = &call_;
      if (call_.matched[width] * 2 <= call_.blocks && evidence_.long_call) bulk = &*evidence_.long_call;
      if (bulk->matched[width] * 2 <= sum(bulk->matched))
        return said(Proof::refuted, fmt::format("{} of {} blocks ran on {}", bulk->matched[bulk_width(*bulk)],
                                                bulk->end == End::complete ? bulk->blocks : sum(bulk->matched),
                                                unit_of_width(bulk_width(*bulk))));
      if (bulk != &call_) {
        proof_.note =
            fmt::format("calls of {} blocks run on {}, of {} on {}", call_.blocks, proof_.ran, bulk->blocks, unit_);
        proof_.ran = std::string(unit_);
      }
    }
    const std::uint64_t lanes = sum(call_.counts.last_lanes);
    // The next block may be known before there is a next call.
    const std::uint64_t needed = std::max<std::uint64_t>(call_.blocks, sum(call_.matched));
    if (lanes >= needed + widest(call_.counts.last_lanes))
      return said(Proof::consistent, fmt::format("it ran {}, and on {} blocks for {}", proof_.ran, lanes, needed));
    return said(Proof::proven);
  }

  ShapeProof judge_gfni() {
    if (call_.counts.aes_instructions > 0) return said(Proof::refuted, "it ran " + first_instruction(call_));
    if (ran_gfni(call_)) return said(Proof::proven);
    if (had_help()) return with_help();
    const std::uint64_t lanes = sum(call_.counts.galois_inverse_lanes);
    if (is_too_early() || (call_.end == End::cut_short && lanes > 0)) return seen_so_far();
    if (lanes == 0 && call_.counts.galois_instructions > 0)
      return said(Proof::consistent, "it runs GFNI's instructions, but not the one that inverts");
    return said(Proof::refuted, lanes == 0
                                    ? "it ran none of GFNI's instructions"
                                    : fmt::format("GFNI did {} of {} blocks", lanes / call_.rounds, call_.blocks));
  }

  ShapeProof judge_count(std::uint64_t blocks, std::string_view by) {
    if (blocks >= call_.least_blocks) return said(Proof::proven);
    if (had_help()) return with_help();
    if (is_too_early() || (call_.end == End::cut_short && blocks > 0)) return seen_so_far();
    return said(Proof::refuted,
                fmt::format("{} did {} of {} blocks; {}", by, blocks, call_.blocks, what_ran_instead(call_)));
  }

  ShapeProof judge_kernel() {
    const CallCounts& counts = call_.counts;
    if (counts.system_calls == 0 && is_too_early()) return seen_so_far();
    if (counts.system_calls == 0)
      return said(Proof::refuted,
                  fmt::format("it made no system call{}; {}",
                              call_.end == End::cut_short ? fmt::format(" in {} instructions", counts.steps) : "",
                              what_ran_instead(call_)));
    if (ran_aes_instructions(call_)) return said(Proof::refuted, "it ran " + first_instruction(call_));
    if (had_help()) return with_help();
    if (asked_the_kernel(call_)) return said(Proof::proven);
    return said(Proof::consistent, fmt::format("{} system calls, and {} instructions of its own for {} blocks: enough "
                                               "to have done without the kernel",
                                               counts.system_calls, counts.steps, call_.blocks));
  }

  ShapeProof judge_any() {
    if (had_help() && !ran_aes_instructions(call_)) return with_help();
    if (!proof_.ran.empty()) return said(Proof::proven);
    proof_.cut_short = call_.end == End::cut_short;
    return said(Proof::consistent, call_.end == End::cut_short
                                       ? fmt::format("its first {} instructions do not tell", call_.counts.steps)
                                       : what_ran_instead(call_));
  }

  const std::string_view unit_;
  const Claim claim_;
  const Shape& shape_;
  const ShapeEvidence& evidence_;
  const CallEvidence& call_;
  ShapeProof proof_;
};

}  // namespace

std::string_view name(Proof proof) {
  switch (proof) {
    case Proof::proven: return "PROVEN";
    case Proof::refuted: return "REFUTED";
    case Proof::consistent: return "CONSISTENT";
    case Proof::unknown: return "UNKNOWN";
  }
  return {};
}

std::string ran_on(const CallEvidence& call) {
  if (call.end == End::unseen) return {};
  if (ran_aes_instructions(call)) return std::string(unit_of_width(bulk_width(call)));
  if (call.counts.xcrypt_blocks >= call.least_blocks) return "xcrypt";
  if (call.counts.key_locker_lanes >= call.least_blocks) return "keylocker";
  if (ran_gfni(call)) return "gfni";
  if (asked_the_kernel(call)) return "kernel";
  return call.counts.aes_instructions == 0 && call.end == End::complete ? "none" : "";
}

ShapeProof judge_shape(std::string_view unit, const ShapeEvidence& evidence) {
  return Judge(unit, all_shapes()[evidence.shape], evidence).judge();
}

namespace {

/// "vaes.zmm; aes.xmm in 18 of 36 shapes": first what most of the shapes that are judged by width ran on.
std::string ran_in(const std::vector<ShapeProof>& shapes) {
  std::map<std::string, std::size_t> all, judged;
  for (const ShapeProof& shape : shapes) {
    if (shape.ran.empty()) continue;
    ++all[shape.ran];
    if (is_judged_by_width(all_shapes()[shape.shape])) ++judged[shape.ran];
  }
  const auto& first_of = judged.empty() ? all : judged;
  if (first_of.empty()) return {};
  const auto most = [](const auto& a, const auto& b) { return a.second < b.second; };
  const std::string first = std::ranges::max_element(first_of, most)->first;
  std::string text = first;
  for (const auto& [ran, count] : all)
    if (ran != first) text += fmt::format("; {} in {} of {} shapes", ran, count, shapes.size());
  return text;
}

}  // namespace

namespace {

/// Those that say something: without what was cut short beside a shape of the mode that is proven, where it says
/// nothing more.
std::vector<ShapeProof> telling(std::string_view unit, const std::vector<ShapeProof>& shapes) {
  const Claim claim = parse_claim(unit);
  if (claim != Claim::none && claim != Claim::any) return shapes;
  const auto mode_of = [](const ShapeProof& shape) { return all_shapes()[shape.shape].mode; };
  std::vector<ShapeProof> all;
  for (const ShapeProof& shape : shapes) {
    const auto proves_it = [&](const ShapeProof& other) {
      return other.proof == Proof::proven && mode_of(other) == mode_of(shape);
    };
    if (!shape.cut_short || std::ranges::none_of(shapes, proves_it)) all.push_back(shape);
  }
  return all;
}

}  // namespace

BackendProof conclude(std::string_view unit, const std::vector<ShapeProof>& seen) {
  const std::vector<ShapeProof> shapes = telling(unit, seen);
  BackendProof conclusion;
  conclusion.ran = ran_in(shapes);
  if (shapes.empty()) {
    conclusion.reason = "it does none of the shapes";
    return conclusion;
  }
  // The worst of them, in this order.
  for (const Proof proof : {Proof::refuted, Proof::unknown, Proof::consistent, Proof::proven}) {
    const auto is_so = [proof](const ShapeProof& shape) { return shape.proof == proof; };
    const auto first = std::ranges::find_if(shapes, is_so);
    if (first == shapes.end()) continue;
    conclusion.proof = proof;
    if (proof != Proof::proven)
      conclusion.reason = fmt::format("{}: {}{}", name(all_shapes()[first->shape]),
                                      proof == Proof::refuted ? fmt::format("says {}, but ", unit) : "", first->reason);
    if (const auto count = static_cast<std::size_t>(std::ranges::count_if(shapes, is_so));
        proof != Proof::proven && shapes.size() > 1)
      conclusion.reason += fmt::format(" (so in {} of {} shapes)", count, shapes.size());
    break;
  }
  if (shapes.size() < seen.size())
    conclusion.notes.push_back(fmt::format(
        "{} of {} shapes were seen to their end, and only the beginning of the others", shapes.size(), seen.size()));
  for (const ShapeProof& shape : shapes)
    if (!shape.note.empty() && conclusion.notes.empty())
      conclusion.notes.push_back(fmt::format("{}: {}", name(all_shapes()[shape.shape]), shape.note));
  return conclusion;
}

}  // namespace aesgate::witness
