#include "fuzz/differential.h"

#include "core/execute.h"
#include "fuzz/reduce.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

/// Half a second of the oracles, about, after which what is smaller than a Case is not looked for any more. A message
/// of 4 MiB is tried four times, one of 1 KiB as often as reduce() wants.
constexpr std::size_t most_blocks_to_reduce = 1'000'000;

}  // namespace

Result<Judgement> check(const aesgate_backend& backend, const Case& c) {
  const Result<Answer> answer = ask(c);
  if (!answer) return tl::unexpected(answer.error());
  return judge(c, execute(backend, c), *answer);
}

Case reduce_failure(const aesgate_backend& backend, const Case& c, Verdict verdict) {
  std::size_t blocks = 0;
  return reduce(c, [&](const Case& candidate) {
    // The oracles' time, and not a clock: the same Case always becomes the same one.
    blocks += 8 + candidate.length / segment_units(c.shape.mode);
    if (blocks > most_blocks_to_reduce) return false;
    const Result<Judgement> judgement = check(backend, candidate);
    return judgement && judgement->verdict == verdict;
  });
}

Result<std::optional<Disagreement>> find_disagreement(std::span<const aesgate_backend* const> backends, const Case& c) {
  const Result<Answer> answer = ask(c);
  if (!answer) return tl::unexpected(answer.error());
  for (const aesgate_backend* backend : backends) {
    const Judgement first = judge(c, execute(*backend, c), *answer);
    if (!is_failure(first.verdict)) continue;
    Disagreement found{{}, reduce_failure(*backend, c, first.verdict)};
    found.reproducer.backend = backend->name;
    const Result<Judgement> judgement = check(*backend, found.reproducer);
    // A backend whose answers change from one call to the next may be right by now.
    const bool same = judgement && judgement->verdict == first.verdict;
    if (!same) found.reproducer = c.copy();
    found.reproducer.backend = backend->name;
    found.line = fmt::format("{}: {}: {}: {}", name(first.verdict), backend->name, name(c.shape),
                             same ? judgement->reason : first.reason + " (and not every time)");
    return found;
  }
  return std::nullopt;
}

}  // namespace aesgate
