#include "core/judge.h"

#include <algorithm>

#include "core/message.h"

namespace aesgate {
namespace {

Judgement crashed(const Outcome& outcome) {
  const Crash& crash = *outcome.crash;
  std::string reason = fmt::format("{} in {}", name(crash), outcome.call);
  if (!outcome.crash_place.empty()) {
    const char* access = crash.access == Crash::Access::write  ? "writing "
                         : crash.access == Crash::Access::read ? "reading "
                                                               : "";
    reason += fmt::format(", {}{}", access, outcome.crash_place);
  }
  return {Verdict::crashed, reason, {}};
}

/// What is no reason not to run any more, once probe() and update_for() have agreed to the shape.
Judgement refused_midway(const Outcome& outcome) {
  if (!outcome.reason.empty()) return {Verdict::failed, fmt::format("{}: {}", outcome.call, outcome.reason), {}};
  return {Verdict::failed, fmt::format("{} said: {}", outcome.call, name(outcome.status)), {}};
}

Judgement ended_early(const Outcome& outcome) {
  if (outcome.accepted) return refused_midway(outcome);
  switch (outcome.status) {
    case Status::unsupported: return {Verdict::unsupported, "this backend does not do it", {}};
    case Status::unavailable:
      return {Verdict::unavailable, outcome.reason.empty() ? "it gives no reason" : outcome.reason, {}};
    default: return refused_midway(outcome);
  }
}

Judgement differs(Difference difference, const std::string& from) {
  std::string reason = fmt::format("{} differs{} at byte {}: expected {:02x}, got {:02x}", difference.field, from,
                                   difference.offset, difference.expected, difference.found);
  return {Verdict::mismatch, std::move(reason), std::move(difference)};
}

std::optional<Judgement> compare(const std::string& field, ByteView expected, ByteView found, const std::string& from) {
  if (expected.size() != found.size())
    return Judgement{Verdict::mismatch,
                     fmt::format("{} has {} bytes{}, expected {}", field, found.size(), from, expected.size()),
                     {}};
  const auto [e, f] = std::ranges::mismatch(expected, found);
  if (e == expected.end()) return std::nullopt;
  return differs({field, e - expected.begin(), *e, *f}, from);
}

Judgement broken(const Breach& breach) {
  std::string reason = breach.what;
  if (!breach.call.empty()) reason += " after " + breach.call;
  if (!breach.detail.empty()) reason += ": " + breach.detail;
  return {Verdict::mismatch, std::move(reason), {}, {}};
}

std::optional<Judgement> judge_chaining_value(const Case& c, const ChainingValue& said, ByteView output) {
  const std::optional<Block> expected = chaining_value_at(c, said.position, output);
  const Status status = expected ? Status::ok : Status::unsupported;
  // Most are right, and a name for each takes longer than all else here.
  if (said.status == status && (!expected || *expected == said.value)) return std::nullopt;
  const std::string field =
      fmt::format("chaining value after {} {}", said.position, c.shape.mode == Mode::cfb1 ? "bits" : "bytes");
  if (said.status != status)
    return Judgement{
        Verdict::mismatch, fmt::format("{}: it said {}, expected {}", field, name(said.status), name(status)), {}};
  return compare(field, *expected, said.value, "");
}

Judgement verdict_on(const Case& c, const Outcome& outcome, const Answer& answer) {
  if (outcome.cut_short) return {*outcome.cut_short, outcome.reason, {}};
  if (outcome.crash) return crashed(outcome);
  if (outcome.status != Status::ok) return ended_early(outcome);
  if (c.expected)
    if (auto wrong = compare("output", *c.expected, outcome.output, " from the vector")) return *wrong;
  if (auto wrong = compare("output", answer.output, outcome.output, " from the oracles")) return *wrong;
  for (const ChainingValue& said : outcome.chaining_values)
    if (auto wrong = judge_chaining_value(c, said, outcome.output)) return *wrong;
  if (!outcome.damage.empty()) {
    const Damage& damage = outcome.damage.front();
    return differs({damage.what, damage.offset, damage.expected, damage.found}, fmt::format(" after {}", damage.call));
  }
  if (!outcome.breaches.empty()) return broken(outcome.breaches.front());
  return {};
}

}  // namespace

Judgement judge(const Case& c, const Outcome& outcome, const Answer& answer) {
  Judgement judgement = verdict_on(c, outcome, answer);
  judgement.warnings = outcome.warnings;
  return judgement;
}

}  // namespace aesgate
