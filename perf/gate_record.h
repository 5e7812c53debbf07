#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "perf/gate_launch.h"

namespace aesgate {

/// LaunchRecord: launches of all cells as they were measured, in order, to be drawn from again: a run of the gate then
/// takes milliseconds.
class LaunchRecord {
 public:
  /// Takes it if it has at least as many cells as any before it: launches of a few cells are of suspects, and have none
  /// of the rest. One that was lost is not taken.
  void add(const LaunchRequest& request, const Launched& launched);

  [[nodiscard]] std::size_t size() const { return launches_.size(); }

  /// What launch `number` (modulo size()) saw of the cells of `request`, which are among those recorded. Where
  /// something else was planted than is asked for, the change is as if it had been: a part of the time is a factor.
  [[nodiscard]] Launched draw(const LaunchRequest& request, std::size_t number) const;

 private:
  struct Seen {
    LaunchedCell cell;
    double planted = 0;
  };
  /// A cell of the candidate is one whatever is planted in it; the two sentinels are told apart by that.
  using Key = std::tuple<std::string, LaunchCell::With, double>;
  [[nodiscard]] static Key key_of(const LaunchCell& cell);

  struct Recorded {
    std::map<Key, Seen> cells;
    Launched rest;  // without cells
  };
  std::vector<Recorded> launches_;
};

}  // namespace aesgate
