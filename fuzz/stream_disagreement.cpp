// What becomes of a stream that failed: a Case if one shows the same, else the calls that it takes.

#include <algorithm>

#include "core/registry.h"
#include "fuzz/failure_class.h"
#include "fuzz/stream.h"

namespace aesgate {
namespace {

constexpr std::size_t most_tries = 400;

/// Cases that may show what went wrong with a message in company, the plainest first.
std::vector<Case> candidates(const Case& message) {
  std::vector<Case> cases;
  using enum Conditions::Memory;
  for (const std::uint8_t company : std::array<std::uint8_t, 3>{0, 1, 3})
    for (const Conditions::Memory memory : {fresh, restarted, started_again, another_message})
      for (const bool in_place : {false, true})
        for (const Spot::Edge edge : {Spot::Edge::start, Spot::Edge::end}) {
          Case c = message.copy();
          c.conditions.memory = memory;
          c.conditions.company = company;
          c.placement.in_place = in_place;
          c.placement.input.edge = c.placement.output.edge = edge;
          cases.push_back(std::move(c));
        }
  return cases;
}

std::optional<StreamFailure> failure_of(const aesgate_backend& backend, const std::vector<StreamCall>& calls) {
  auto failure = run_stream(backend, calls);
  return failure ? std::move(*failure) : std::nullopt;
}

/// Leaves calls out, by halves down to one, as long as the stream fails in the same way.
std::vector<StreamCall> reduce_calls(const aesgate_backend& backend, std::vector<StreamCall> calls,
                                     const std::string& key) {
  std::size_t tries = 0;
  const auto fails = [&](const std::vector<StreamCall>& fewer) {
    if (++tries > most_tries) return false;
    const auto failure = failure_of(backend, fewer);
    return failure && finding_key(backend.name, failure->message.shape, failure->judgement) == key;
  };
  for (std::size_t count = calls.size(); count > 0; count /= 2)
    for (std::size_t at = 0; at + count <= calls.size();) {
      std::vector<StreamCall> fewer = calls;
      const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.erase(from, from + static_cast<std::ptrdiff_t>(count));
      if (fails(fewer))
        calls = std::move(fewer);
      else
        ++at;
    }
  return calls;
}

StreamDisagreement explain(const aesgate_backend& backend, const std::vector<StreamCall>& calls,
                           const StreamFailure& failure) {
  const std::string key = finding_key(backend.name, failure.message.shape, failure.judgement);
  for (const Case& c : candidates(failure.message)) {
    const auto judgement = check(backend, c);
    if (!judgement || !is_failure(judgement->verdict)) continue;
    Disagreement found = disagreement(backend, c, *judgement);
    return {std::move(found.key), key, std::move(found.line), std::move(found.reproducer), {}};
  }
  std::vector<StreamCall> reduced = reduce_calls(backend, calls, key);
  const auto again = failure_of(backend, reduced);
  const Judgement& judgement = again ? again->judgement : failure.judgement;
  std::string line = fmt::format("{}: {}: {}: {}, in a stream of {} calls", name(judgement.verdict), backend.name,
                                 name(failure.message.shape), judgement.reason, reduced.size());
  return {key, key, std::move(line), std::nullopt, std::move(reduced)};
}

}  // namespace

Result<std::optional<StreamDisagreement>> find_stream_disagreement(std::span<const aesgate_backend* const> backends,
                                                                   const std::vector<StreamCall>& calls,
                                                                   const IsKnown& is_known) {
  for (const aesgate_backend* backend : backends) {
    const auto failure = run_stream(*backend, calls);
    if (!failure) return tl::unexpected(failure.error());
    if (!*failure) continue;
    if (is_known && is_known(finding_key(backend->name, (*failure)->message.shape, (*failure)->judgement))) continue;
    return explain(*backend, calls, **failure);
  }
  return std::nullopt;
}

}  // namespace aesgate
