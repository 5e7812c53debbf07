#include "perf/gate_record.h"

#include "perf/gate_matrix.h"

namespace aesgate {

LaunchRecord::Key LaunchRecord::key_of(const LaunchCell& cell) {
  return {name(cell.workload), cell.with, cell.with == LaunchCell::With::own_copy ? cell.planted : 0};
}

void LaunchRecord::add(const LaunchRequest& request, const Launched& launched) {
  if (!launched.lost.empty() || launched.cells.size() != request.cells.size()) return;
  Recorded recorded;
  for (std::size_t i = 0; i < request.cells.size(); ++i)
    recorded.cells[key_of(request.cells[i])] = {launched.cells[i], request.cells[i].planted};
  if (!launches_.empty() && recorded.cells.size() < launches_.front().cells.size()) return;
  recorded.rest = launched;
  recorded.rest.cells.clear();
  launches_.push_back(std::move(recorded));
}

Launched LaunchRecord::draw(const LaunchRequest& request, std::size_t number) const {
  const Recorded& recorded = launches_[number % launches_.size()];
  Launched launched = recorded.rest;
  for (const LaunchCell& cell : request.cells) {
    const Seen& seen = recorded.cells.at(key_of(cell));
    LaunchedCell& drawn = launched.cells.emplace_back(seen.cell);
    if (drawn.summary.change && seen.planted != cell.planted)
      *drawn.summary.change = (1 + *drawn.summary.change) / (1 + seen.planted) * (1 + cell.planted) - 1;
  }
  return launched;
}

}  // namespace aesgate
