#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "perf/count.h"

namespace aesgate {

/// CountLine: the sizes of one backend and shape, the small ones first.
struct CountLine {
  std::vector<const CountResult*> sizes;

  /// What a byte more takes in bulk: between the two largest sizes that were counted.
  struct Slope {
    double instructions = 0, aes_instructions = 0;
    std::vector<double> cycles;  // by model; not a number where there is none
  };
  /// Nothing if fewer than two were.
  [[nodiscard]] std::optional<Slope> slope() const;
};
/// Neighbours of one backend and shape together.
[[nodiscard]] std::vector<CountLine> lines_of(const CountReport& report);

/// For a person: lines that end in "\n", a table for each shape, and below it what could not be counted, and why.
[[nodiscard]] std::string to_table(const CountReport& report);

/// Every cell, after json_head() (report/json_head.h).
[[nodiscard]] nlohmann::ordered_json to_json(const CountReport& report);

}  // namespace aesgate
