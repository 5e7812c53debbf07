// Hardware that is slower than software: at which sizes, from which one on it pays, and what it saves beside time.

#include <algorithm>

#include <fmt/format.h>

#include "explain/explanation.h"
#include "explain/quantity.h"

namespace aesgate::explain {
namespace {

/// Rates this near to each other are the same, in one size.
constexpr double as_fast = 0.05;

/// The sizes, from the smallest on, in which both are equally fast, while a larger one differs: 0 if there is no such
/// change.
std::size_t equal_small_sizes(const Pair& pair) {
  std::size_t equal = 0;
  while (equal < pair.sizes.size() && std::abs(pair.speedup(equal) - 1) <= as_fast) ++equal;
  for (std::size_t i = equal; i < pair.sizes.size(); ++i)
    if (std::abs(pair.speedup(i) - 1) > 4 * as_fast) return equal;
  return 0;
}

void explain_threshold(Explanation& out, const Pair& pair, std::size_t equal) {
  const std::size_t last = pair.sizes[equal - 1].first->bytes, next = pair.sizes[equal].first->bytes;
  out.fact("small-in-software",
           fmt::format("{} is as fast as {} up to {} bytes, and {} as fast at {} bytes", pair.other->label,
                       pair.base->label, last, times_text(pair.speedup(equal)), next));
  out.infer(
      "small-in-software", equal > 1 ? Sure::very_likely : Sure::likely,
      fmt::format("{} did calls of up to {} bytes as {} did, and only larger ones (from somewhere between {} and {} "
                  "bytes on) in another way: what holds for one size holds for no other",
                  pair.other->label, last, pair.base->label, last, next));
  out.cause("small-in-software", Sure::likely,
            "the driver or engine leaves calls below a threshold to software, since its set-up would cost more");
  for (const std::size_t bytes : {last, next}) {
    const std::string command = speed_command(*pair.other->run) + fmt::format(" -bytes {}", bytes);
    out.run_next(witness_command(command));
  }
}

struct Range {
  double low, middle, high;
};

/// Where two straight lines meet, by the ends of their errors.
std::optional<Range> meeting_point(const Fit& base, const Fit& other) {
  const double setup = other.setup - base.setup, gain = base.per_byte - other.per_byte;
  const double setup_error = other.setup_error + base.setup_error,
               gain_error = other.per_byte_error + base.per_byte_error;
  if (setup <= setup_error || gain <= gain_error) return std::nullopt;
  return Range{(setup - setup_error) / (gain + gain_error), setup / gain, (setup + setup_error) / (gain - gain_error)};
}

/// Whether the sizes that were measured say the same: slower up to one, faster from the next one on.
std::optional<std::size_t> first_faster(const Pair& pair) {
  std::size_t at = 0;
  while (at < pair.sizes.size() && pair.speedup(at) <= 1) ++at;
  for (std::size_t i = at; i < pair.sizes.size(); ++i)
    if (pair.speedup(i) <= 1) return std::nullopt;
  return at;
}

void explain_small_buffers(Explanation& out, const Pair& pair) {
  if (pair.other->line && pair.other->line->has_setup())
    out.cause("small-buffers", Sure::very_likely,
              fmt::format("{} is slower in small buffers because each call pays a set-up of {}, whatever its size",
                          pair.other->label, duration_text(pair.other->line->setup)));
}

bool explain_crossover(Explanation& out, const Pair& pair) {
  const auto faster = first_faster(pair);
  if (!faster || *faster == 0 || *faster == pair.sizes.size()) return false;
  const std::size_t slower_at = pair.sizes[*faster - 1].first->bytes, faster_at = pair.sizes[*faster].first->bytes;
  out.fact("crossover", fmt::format("{} is slower than {} up to {} bytes and faster from {} bytes on",
                                    pair.other->label, pair.base->label, slower_at, faster_at));
  const bool straight =
      pair.base->line && pair.other->line && pair.base->line->straight() && pair.other->line->straight();
  const auto meet = straight ? meeting_point(*pair.base->line, *pair.other->line) : std::nullopt;
  if (meet && meet->low < static_cast<double>(faster_at) && meet->high > static_cast<double>(slower_at))
    out.infer("crossover", Sure::very_likely,
              fmt::format("{} pays from about {} a call on ({} to {}): it has more set-up, and takes less a byte",
                          pair.other->label, size_text(meet->middle), size_text(meet->low), size_text(meet->high)));
  else
    out.infer("crossover", Sure::likely,
              fmt::format("{} pays from somewhere between {} and {} bytes a call on", pair.other->label, slower_at,
                          faster_at));
  explain_small_buffers(out, pair);
  return true;
}

void explain_never(Explanation& out, const Pair& pair) {
  out.fact("never-pays", fmt::format("{} is slower than {} at every size that was measured, up to {} bytes",
                                     pair.other->label, pair.base->label, pair.sizes.back().first->bytes));
  const bool lines = pair.base->line && pair.other->line;
  const auto meet = lines ? meeting_point(*pair.base->line, *pair.other->line) : std::nullopt;
  const Subject &base = *pair.base, &other = *pair.other;
  if (meet)
    out.infer("crossover", Sure::possible,
              fmt::format("{} would pay from about {} a call on, beyond what was measured: it takes less a byte",
                          other.label, size_text(meet->middle)));
  else if (lines)
    out.infer("never-pays", Sure::likely,
              fmt::format("there is no size from which {} pays: it takes {} a byte, against {}", other.label,
                          duration_text(other.line->per_byte), duration_text(base.line->per_byte)));
  // With the kernel's time in it, a small share says that it is not the CPU that computes.
  const bool device = other.run->invocation.elapsed_seconds > 0 && other.share && *other.share < 0.5;
  if (!meet)
    out.cause(
        "never-pays", Sure::likely,
        device
            ? fmt::format("the unit behind {} is slower than this CPU, which has little to do meanwhile", other.label)
            : fmt::format("there is no AES unit behind {}, and the kernel computes in software; or the unit is "
                          "slower than this CPU",
                          other.label));
  explain_small_buffers(out, pair);
  out.run_next("grep -A9 'cbc(aes)' /proc/crypto");
}

/// Throughput is not all that an offload is for.
void explain_share(Explanation& out, const Pair& pair) {
  const auto &base = pair.base->share, &other = pair.other->share;
  if (!base || !other || std::abs(*base - *other) < 0.1) return;
  out.fact("cpu-share", fmt::format("{} has {} of the CPU, {} has {}", pair.base->label, percent_text(*base),
                                    pair.other->label, percent_text(*other)));
  if (*other <= 0) return;
  const double per_cpu_second = pair.speedup(pair.sizes.size() - 1) * *base / *other;
  const bool kernel_in_it = pair.other->run->invocation.elapsed_seconds > 0;
  if (per_cpu_second > 1 + as_fast)
    out.infer(
        "cpu-share", kernel_in_it ? Sure::very_likely : Sure::likely,
        fmt::format("{} does {} as much in a second of CPU time at {} bytes: what it gains is CPU for other work{}",
                    pair.other->label, times_text(per_cpu_second), pair.sizes.back().first->bytes,
                    kernel_in_it ? "" : "; time in the kernel is not counted here, so it gains less than that"));
}

}  // namespace

void find_crossover(Explanation& out) {
  for (const Pair& pair : out.pairs) {
    if (pair.same || pair.sizes.front().first->bytes == 0) continue;
    explain_share(out, pair);
    if (pair.sizes.size() < 2) continue;
    if (const std::size_t equal = equal_small_sizes(pair); equal > 0) {
      explain_threshold(out, pair, equal);
      continue;
    }
    if (explain_crossover(out, pair)) continue;
    if (first_faster(pair) == pair.sizes.size()) explain_never(out, pair);
  }
}

}  // namespace aesgate::explain
