#include "core/passes.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/crowd.h"
#include "core/interruptions.h"

namespace aesgate {
namespace {

using Clock = std::chrono::steady_clock;

// A call of a small message is a small part of its pass, and so is the chance that the timer comes within it.
constexpr unsigned enough_signals = 12;
constexpr auto longest_with_timer = std::chrono::milliseconds(2);
constexpr auto longest_with_threads = std::chrono::microseconds(250);

bool ended(const Outcome& outcome) { return outcome.crash || outcome.status != Status::ok || outcome.cut_short; }

bool is_same(const Outcome& a, const Outcome& b) {
  const auto same_value = [](const ChainingValue& x, const ChainingValue& y) {
    return x.status == y.status && x.value == y.value;
  };
  return !ended(a) && a.damage.empty() && a.breaches.empty() && a.output == b.output &&
         std::ranges::equal(a.chaining_values, b.chaining_values, same_value);
}

Outcome declined(std::string reason) {
  Outcome outcome;
  outcome.cut_short = Verdict::declined;
  outcome.reason = std::move(reason);
  return outcome;
}

/// The first pass that differs from `peace`, if one does.
std::optional<Outcome> pass_until_enough(const Case& c, const Outcome& peace, const Crowd& crowd, const Pass& pass) {
  std::optional<Migration> migration;
  if (c.conditions.migration) migration.emplace();
  PassOptions options{migration ? &*migration : nullptr, c.conditions.timer};
  std::optional<Interruptions> timer;
  if (c.conditions.timer) timer.emplace(options.migration, c.conditions.threads > 0 ? &crowd.bystanders() : nullptr);
  if (timer && !timer->why_none().empty()) return declined(timer->why_none());
  const auto end = Clock::now() + (timer ? longest_with_timer : longest_with_threads);
  const auto goes_on = [&] { return crowd.is_at_work() || (timer && timer->count() < enough_signals); };
  do {
    Outcome outcome = pass(options);
    if (!is_same(outcome, peace)) return outcome;
  } while (goes_on() && Clock::now() < end);
  if (timer && timer->count() == 0) return declined("no signal of the timer came: the thread may have them blocked");
  return std::nullopt;
}

}  // namespace

bool needs_passes(const Conditions& conditions) {
  return conditions.threads > 0 || conditions.timer || conditions.migration;
}

Outcome run_passes(const aesgate_backend& backend, const Case& c, CallNote* note, const Pass& pass) {
  Outcome peace = pass({});
  if (ended(peace)) return peace;
  std::optional<Crowd> crowd;
  Outcome alone;
  alone.accepted = peace.accepted;
  alone.call = "update_for()";
  Calls calls(alone, note);
  auto gather = [&] { crowd.emplace(backend, c); };
  if (!calls.make(gather) || !crowd->rehearse(calls)) return alone;
  if (const auto started = crowd->start(); !started) return declined(started.error().message);
  std::optional<Outcome> other = pass_until_enough(c, peace, *crowd, pass);
  Outcome& outcome = other ? *other : peace;
  if (note != nullptr && c.conditions.threads > 0) note->enter("calls on other threads");
  crowd->stop(outcome);
  if (note != nullptr) note->leave();
  return std::move(outcome);
}

}  // namespace aesgate
