#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace aesgate {

// What follows assumes nothing of how launches are distributed but that they are independent: signs, ranks and counts.

/// The chance of `heads` or more heads in `throws` throws of a fair coin.
[[nodiscard]] double fair_coin_tail(std::size_t throws, std::size_t heads);

/// The sign test: the chance to see as many values above `limit` as there are, or more, if their population's median
/// were at `limit`; the lower it is, the surer that the median is above. A value at the limit counts as not above.
[[nodiscard]] double chance_of_so_many_above(std::span<const double> values, double limit);
[[nodiscard]] double chance_of_so_many_below(std::span<const double> values, double limit);

/// Holm's step-down procedure (Scandinavian Journal of Statistics 6, 1979): which of several hypotheses, with these
/// chances, are rejected so that the chance to reject any true one is at most `alpha`.
[[nodiscard]] std::vector<bool> holm(std::span<const double> chances, double alpha);

/// Proportion: so many of so many, and the exact 95% interval of the rate (Clopper and Pearson, Biometrika 26, 1934).
struct Proportion {
  std::size_t count = 0, of = 0;
  double low = 0, high = 1;
};
[[nodiscard]] Proportion proportion(std::size_t count, std::size_t of);

}  // namespace aesgate
