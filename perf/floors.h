#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/shape.h"

namespace aesgate {

// What the AES instructions of a core alone take. Nothing that uses them is faster, so a figure below its floor is an
// error of the measurement.

/// Cpu: what CPUID says of who made it.
struct Cpu {
  std::string vendor;  // "AuthenticAMD"
  unsigned family = 0, model = 0;
};
/// This one; the vendor is empty where there is no CPUID.
[[nodiscard]] Cpu this_cpu();

/// AesUnit: how fast a core does one AES round instruction (AESENC, AESENCLAST, AESDEC, AESDECLAST).
struct AesUnit {
  std::string_view core;   // "Zen 5"
  double latency = 0;      // cycles, from state to state
  double xmm_a_cycle = 0;  // instructions a cycle, by the width of the register; 0 where that is not known, or the
  double ymm_a_cycle = 0;  // core lacks it
  double zmm_a_cycle = 0;
  double xor_latency = 0;  // of PXOR between two of them, in cycles; 0 where it is not known
};

/// The core of that CPU; null if its figures are not known.
[[nodiscard]] const AesUnit* find_aes_unit(const Cpu& cpu);

/// Does each block wait for the one before? CBC and CFB encryption, and OFB.
[[nodiscard]] bool is_serial(const Shape& shape);

/// The least core cycles a byte of data of a backend with this `unit` (aesgate_backend.h: "aes.xmm", "vaes.ymm",
/// "vaes.zmm"). Serial modes wait for the latency of each round; the others are bound by how many rounds begin in a
/// cycle. CFB8 and CFB1 take a block for each byte and each bit. Nothing for other units, or widths not known.
[[nodiscard]] std::optional<double> floor_cycles_per_byte(const AesUnit& aes, std::string_view unit,
                                                          const Shape& shape);

/// A figure below this part of its floor has been measured wrongly: what the calibration may be off, and more.
inline constexpr double least_part_of_floor = 0.99;

/// Does the floor hold for the slope over calls of `from_bytes` and more? Where blocks do not wait, those of a short
/// call leave room in the unit, and a longer one takes less for each byte more.
[[nodiscard]] bool floor_holds_for_slope(const Shape& shape, std::size_t from_bytes);

/// Why `cycles_per_byte` cannot be, where it is below that part of `floor`; else empty.
[[nodiscard]] std::string why_below_floor(double cycles_per_byte, double floor);

/// "Zen 5: a round of AES takes 4 cycles; a cycle begins 2 in xmm, …", or that there are no floors for this CPU.
[[nodiscard]] std::string floors_source(const Cpu& cpu);

}  // namespace aesgate
