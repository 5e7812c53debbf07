#include "laws.h"

#include <vector>

namespace aesgate::props {

std::span<const Law* const> laws() {
  static const std::vector<const Law*> all = [] {
    std::vector<const Law*> list;
    for (const std::span<const Law> group : {handling_laws(), chaining_laws(), structure_laws(), bit_error_laws()})
      for (const Law& law : group) list.push_back(&law);
    return list;
  }();
  return all;
}

}  // namespace aesgate::props
