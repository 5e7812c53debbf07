#include "fuzz/differential.h"

#include <chrono>

#include "core/execute.h"
#include "fuzz/failure_class.h"
#include "fuzz/reduce.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

/// Half a second of the oracles, about, after which what is smaller than a Case is not looked for any more. A message
/// of 4 MiB is tried four times, one of 1 KiB as often as reduce() wants.
constexpr std::size_t most_blocks_to_reduce = 1'000'000;

constexpr auto longest_to_reduce = std::chrono::seconds(3);

template <typename IsLike>
Case reduce_to(const aesgate_backend& backend, const Case& c, IsLike is_like) {
  std::size_t blocks = 0;
  const auto end = std::chrono::steady_clock::now() + longest_to_reduce;
  return reduce(c, [&](const Case& candidate) {
    // The oracles' time, and not a clock: the same Case always becomes the same one. The clock ends what hardly ever
    // gets so far: threads that have to meet, a backend that hangs.
    blocks += 8 + candidate.length / segment_units(c.shape.mode);
    if (blocks > most_blocks_to_reduce || std::chrono::steady_clock::now() > end) return false;
    const Result<Judgement> judgement = check(backend, candidate);
    return judgement && is_like(*judgement);
  });
}

}  // namespace

Result<Judgement> check(const aesgate_backend& backend, const Case& c) {
  const Result<Answer> answer = ask(c);
  if (!answer) return tl::unexpected(answer.error());
  return judge(c, execute(backend, c), *answer);
}

Case reduce_failure(const aesgate_backend& backend, const Case& c, Verdict verdict) {
  return reduce_to(backend, c, [verdict](const Judgement& judgement) { return judgement.verdict == verdict; });
}

Case reduce_in_class(const aesgate_backend& backend, const Case& c, const Judgement& judgement) {
  const std::string wanted = class_of(judgement);
  return reduce_to(backend, c, [&](const Judgement& other) {
    return other.verdict == judgement.verdict && class_of(other) == wanted;
  });
}

Disagreement disagreement(const aesgate_backend& backend, const Case& c, const Judgement& judgement) {
  const std::string key = finding_key(backend.name, c.shape, judgement);
  Disagreement found{key, key, {}, reduce_in_class(backend, c, judgement)};
  found.reproducer.backend = backend.name;
  const Result<Judgement> again = check(backend, found.reproducer);
  // A backend whose answers change from one call to the next may be right by now.
  const bool same = again && again->verdict == judgement.verdict;
  if (!same) found.reproducer = c.copy();
  found.reproducer.backend = backend.name;
  if (same) found.key = finding_key(backend.name, c.shape, *again);
  found.line = fmt::format("{}: {}: {}: {}", name(judgement.verdict), backend.name, name(c.shape),
                           same ? again->reason : judgement.reason + " (and not every time)");
  return found;
}

Result<std::optional<Disagreement>> find_disagreement(std::span<const aesgate_backend* const> backends, const Case& c,
                                                      const IsKnown& is_known) {
  const Result<Answer> answer = ask(c);
  if (!answer) return tl::unexpected(answer.error());
  for (const aesgate_backend* backend : backends) {
    const Judgement judgement = judge(c, execute(*backend, c), *answer);
    if (!is_failure(judgement.verdict)) continue;
    if (is_known && is_known(finding_key(backend->name, c.shape, judgement))) continue;
    return disagreement(*backend, c, judgement);
  }
  return std::nullopt;
}

}  // namespace aesgate
