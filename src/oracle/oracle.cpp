#include "oracle/oracle.h"

#include <algorithm>

#include "core/execute.h"
#include "oracle/oracle_cryptopp.h"

namespace aesgate {
namespace {

/// The line's end that says which Case it is about.
std::string about(const Case& c) {
  return c.origin.empty() ? name(c.shape) : fmt::format("{} ({})", name(c.shape), c.origin);
}

/// Why an oracle has no answer, or empty.
std::string why_no_answer(const Outcome& outcome) {
  if (outcome.crash) return fmt::format("{} in {}", name(*outcome.crash), outcome.call);
  if (outcome.status != Status::ok)
    return fmt::format("{} said {}{}{}", outcome.call, name(outcome.status), outcome.reason.empty() ? "" : ": ",
                       outcome.reason);
  if (!outcome.damage.empty()) {
    const Damage& damage = outcome.damage.front();
    return fmt::format("{} changed: {} at byte {}", damage.call, damage.what, damage.offset);
  }
  return {};
}

}  // namespace

const aesgate_backend& cryptopp_oracle() { return *aesgate_oracle_cryptopp(); }

std::array<const aesgate_backend*, 2> oracles() { return {&cryptopp_oracle(), &fips197_oracle()}; }

Result<Answer> agreed_answer(const Case& c, std::array<Outcome, 2> outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (const std::string why = why_no_answer(outcomes[i]); !why.empty())
      return error("{} has no answer to {}: {}", oracles()[i]->name, about(c), why);
  const Bytes &first = outcomes[0].output, &second = outcomes[1].output;
  const auto names = [] { return std::array{oracles()[0]->name, oracles()[1]->name}; };
  const auto [f, s] = std::ranges::mismatch(first, second);
  if (f != first.end() && s != second.end())
    return error("the oracles disagree on {}: byte {} of the output is {:02x} by {} and {:02x} by {}", about(c),
                 f - first.begin(), *f, names()[0], *s, names()[1]);
  if (first.size() != second.size() || first.size() != bytes_for(c.shape.mode, c.output_length()))
    return error("the oracles disagree on {}: {} bytes by {}, {} bytes by {}, and the message has {}", about(c),
                 first.size(), names()[0], second.size(), names()[1], bytes_for(c.shape.mode, c.output_length()));
  return Answer{std::move(outcomes[0].output)};
}

Result<Answer> ask(const Case& c) {
  if (c.repeated_to > 0) return Answer{};  // judged by what a call leaves behind, as Case says
  Case whole = c.copy();
  whole.expected.reset();
  whole.placement = {};
  whole.conditions = {};
  if (whole.monte_carlo_steps == 0) whole.chunks = {whole.length};
  return agreed_answer(c, {execute(cryptopp_oracle(), whole), execute(fips197_oracle(), whole)});
}

}  // namespace aesgate
