#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace aesgate::acvp {

/// IdSet: the numbers of tests or groups that were seen. Kept as ranges, since a server counts: a vector set of any
/// size is then one range or a few. At most `most_ranges`.
class IdSet {
 public:
  enum class Added { yes, already_there, too_scattered };
  static constexpr std::size_t most_ranges = 1u << 18;

  [[nodiscard]] Added add(std::uint64_t id);

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first to last, both included; a gap between any two
};

inline IdSet::Added IdSet::add(std::uint64_t id) {
  const auto after = ranges_.upper_bound(id);
  const auto before = after == ranges_.begin() ? ranges_.end() : std::prev(after);
  if (before != ranges_.end() && id <= before->second) return Added::already_there;
  const bool joins_before = before != ranges_.end() && before->second + 1 == id;
  const bool joins_after = after != ranges_.end() && id + 1 == after->first;
  if (!joins_before && !joins_after && ranges_.size() == most_ranges) return Added::too_scattered;
  const std::uint64_t last = joins_after ? after->second : id;
  if (joins_after) ranges_.erase(after);
  if (joins_before)
    before->second = last;
  else
    ranges_[id] = last;
  return Added::yes;
}

}  // namespace aesgate::acvp
