#include <algorithm>
#include <cstring>

#include "witness/step.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace aesgate::witness {
namespace {

/// Intel SDM volume 1, section 13.1: the numbers of the state components.
enum Component : unsigned { sse = 1, avx = 2, opmask = 5, zmm_hi256 = 6, hi16_zmm = 7, component_count = 8 };

constexpr std::size_t xmm_offset = 160;  // table 13-1; this one is fixed, the others are CPUID's to say
constexpr std::size_t in_use_offset = 512;

std::array<std::size_t, component_count> find_offsets() {
  std::array<std::size_t, component_count> offsets{};
#if defined(__x86_64__)
  for (unsigned component = avx; component < component_count; ++component) {
    unsigned size = 0, offset = 0, flags = 0, unused = 0;
    if (__get_cpuid_count(0xd, component, &size, &offset, &flags, &unused) != 0 && size != 0)
      offsets[component] = offset;
  }
#endif
  offsets[sse] = xmm_offset;
  return offsets;
}

// Before main: the registers are read in a signal handler.
const std::array<std::size_t, component_count> offsets = find_offsets();

/// Copies `size` bytes at `index` of an array of such in a component; what is in its initial state is zero.
void read(std::span<const std::uint8_t> area, Component component, std::size_t index, std::size_t size, void* to) {
  std::memset(to, 0, size);
  std::uint64_t in_use = 0;
  if (area.size() >= in_use_offset + sizeof in_use)
    std::memcpy(&in_use, area.data() + in_use_offset, sizeof in_use);
  else
    in_use = std::uint64_t{1} << sse;
  const std::size_t from = offsets[component] + index * size;
  if ((in_use >> component & 1) == 0 || offsets[component] == 0 || from + size > area.size()) return;
  std::memcpy(to, area.data() + from, size);
}

}  // namespace

std::array<std::uint8_t, 64> Registers::vector(unsigned number) const {
  std::array<std::uint8_t, 64> value{};
  if (number >= 16) {
    read(extended, hi16_zmm, number - 16, 64, value.data());
    return value;
  }
  read(extended, sse, number, 16, value.data());
  read(extended, avx, number, 16, value.data() + 16);
  read(extended, zmm_hi256, number, 32, value.data() + 32);
  return value;
}

std::uint64_t Registers::mask(unsigned number) const {
  std::uint64_t value = 0;
  read(extended, opmask, number, sizeof value, &value);
  return value;
}

}  // namespace aesgate::witness
