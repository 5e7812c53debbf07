#include "core/crowd.h"

#include <system_error>

namespace aesgate {
namespace {

constexpr std::size_t calls_a_message = 6;

// What a thread does is bounded by messages: while it runs, one CPU less is there for the Case, whose passes are the
// clock of what is bounded by time.
constexpr unsigned fewest_messages = 4, most_messages = 40;

// So many messages at first give the CPU up after each call, so that threads meet within a message on one CPU, too.
constexpr unsigned polite_messages = 8;

bool went_wrong(const Outcome& outcome) {
  return outcome.crash || outcome.status != Status::ok || !outcome.damage.empty() || !outcome.breaches.empty();
}

}  // namespace

Crowd::Crowd(const aesgate_backend& backend, const Case& c) {
  // Not the numbers of the company.
  for (unsigned i = 0; i < c.conditions.threads; ++i) members_.emplace_back(backend, c, Conditions::max_company + i);
}

Crowd::~Crowd() { join(); }

void Crowd::join() {
  stop_ = true;
  for (Member& member : members_)
    if (member.thread.joinable()) member.thread.join();
}

bool Crowd::rehearse(Calls& calls) {
  for (Member& member : members_)
    if (!member.companion.rehearse(calls, calls_a_message)) return false;
  return true;
}

Result<void> Crowd::start() {
  try {
    for (Member& member : members_) member.thread = std::thread([this, &member] { work(member); });
  } catch (const std::system_error& failure) {
    return error("there are no {} threads: {}", members_.size(), failure.what());
  }
  while (arrived_ < members_.size()) std::this_thread::yield();
  return {};
}

void Crowd::work(Member& member) {
  member.outcome.call = "calls on another thread";
  ++bystanders_.at_work;
  ++arrived_;
  for (unsigned messages = 0; messages < most_messages && (messages < fewest_messages || !stop_); ++messages) {
    bool goes_on = member.companion.start(member.calls);
    for (std::size_t i = 0; goes_on && i < calls_a_message; ++i) {
      goes_on = member.companion.update(member.calls);
      ++bystanders_.calls;
      if (messages < polite_messages) std::this_thread::yield();
    }
    member.companion.abandon_or_finish(member.calls);
    if (went_wrong(member.outcome)) break;
  }
  --bystanders_.at_work;
}

void Crowd::stop(Outcome& outcome) {
  join();
  if (went_wrong(outcome)) return;
  for (Member& member : members_) {
    if (!went_wrong(member.outcome)) continue;
    outcome.crash = std::move(member.outcome.crash);
    outcome.status = member.outcome.status;
    outcome.call = std::move(member.outcome.call);
    if (outcome.crash || outcome.status != Status::ok) outcome.call += ", on another thread";
    outcome.damage = std::move(member.outcome.damage);
    outcome.breaches = std::move(member.outcome.breaches);
    return;
  }
}

}  // namespace aesgate
