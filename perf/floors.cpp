#include "perf/floors.h"

#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "core/bytes.h"

namespace aesgate {
namespace {

/// Some models of a family that have the same core.
struct Models {
  std::string_view vendor;
  unsigned family, first_model, last_model;
  AesUnit aes;
};

// Zen 5 was measured with this program; the others are what is published. Where the throughput of a width is not sure
// it is left out: a floor that is too high would void figures that are right.
constexpr AesUnit zen3{"Zen 3", 4, 2, 2, 0, 0};
constexpr AesUnit zen4{"Zen 4", 4, 2, 2, 0, 0};
constexpr AesUnit zen5{"Zen 5", 4, 2, 2, 2, 2};
constexpr AesUnit zen5_narrow{"Zen 5 with vectors of 256 bits", 4, 2, 2, 0, 0};
constexpr AesUnit tiger_lake{"Tiger Lake", 3, 0, 0, 0, 0};

constexpr std::string_view amd = "AuthenticAMD";
constexpr std::string_view intel = "GenuineIntel";
constexpr std::array known{
    Models{amd, 0x19, 0x00, 0x0f, zen3},        Models{amd, 0x19, 0x20, 0x5f, zen3},
    Models{amd, 0x19, 0x10, 0x1f, zen4},        Models{amd, 0x19, 0x60, 0xaf, zen4},
    Models{amd, 0x1a, 0x00, 0x1f, zen5},        Models{amd, 0x1a, 0x40, 0x4f, zen5},
    Models{amd, 0x1a, 0x20, 0x2f, zen5_narrow}, Models{amd, 0x1a, 0x60, 0x6f, zen5_narrow},
    Models{intel, 6, 0x8c, 0x8d, tiger_lake},
};

/// What an instruction of the unit works on.
struct Width {
  unsigned blocks;
  double a_cycle;
};
std::optional<Width> width(const AesUnit& aes, std::string_view unit) {
  if (unit == "aes.xmm") return Width{1, aes.xmm_a_cycle};
  if (unit == "vaes.ymm") return Width{2, aes.ymm_a_cycle};
  if (unit == "vaes.zmm") return Width{4, aes.zmm_a_cycle};
  return std::nullopt;
}

/// Bytes of data that a block operation is for.
double bytes_a_block(Mode mode) {
  if (mode == Mode::cfb1) return 1.0 / 8;
  return mode == Mode::cfb8 ? 1 : block_bytes;
}

}  // namespace

Cpu this_cpu() {
  Cpu cpu;
#if defined(__x86_64__) || defined(__i386__)
  unsigned eax = 0, vendor[3] = {}, unused = 0;
  if (__get_cpuid(0, &eax, &vendor[0], &vendor[2], &vendor[1]) == 0) return cpu;
  char text[sizeof vendor];
  std::memcpy(text, vendor, sizeof vendor);
  cpu.vendor.assign(text, sizeof text);
  if (__get_cpuid(1, &eax, &unused, &unused, &unused) == 0) return cpu;
  cpu.family = eax >> 8 & 0xf;
  cpu.model = eax >> 4 & 0xf;
  if (cpu.family == 6 || cpu.family == 0xf) cpu.model += (eax >> 16 & 0xf) << 4;
  if (cpu.family == 0xf) cpu.family += eax >> 20 & 0xff;
#endif
  return cpu;
}

const AesUnit* find_aes_unit(const Cpu& cpu) {
  for (const Models& models : known)
    if (cpu.vendor == models.vendor && cpu.family == models.family && cpu.model >= models.first_model &&
        cpu.model <= models.last_model)
      return &models.aes;
  return nullptr;
}

bool is_serial(const Shape& shape) {
  return shape.mode == Mode::ofb || (shape.mode != Mode::ecb && shape.direction == Direction::encrypt);
}

bool floor_holds_for_slope(const Shape& shape, std::size_t from_bytes) {
  return is_serial(shape) || from_bytes >= 1024;  // twice what fills eight registers of 512 bits
}

std::optional<double> floor_cycles_per_byte(const AesUnit& aes, std::string_view unit, const Shape& shape) {
  const auto vectors = width(aes, unit);
  if (!vectors || (!is_serial(shape) && vectors->a_cycle == 0)) return std::nullopt;
  const double rounds = static_cast<double>(bits(shape.key_size)) / 32 + 6;
  const double cycles_a_round = is_serial(shape) ? aes.latency : 1 / (vectors->a_cycle * vectors->blocks);
  return rounds * cycles_a_round / bytes_a_block(shape.mode);
}

std::string why_below_floor(double cycles_per_byte, double floor) {
  if (cycles_per_byte >= least_part_of_floor * floor) return {};
  return fmt::format("{:.4f} cycles/byte came out, which is below {} of the floor, {:.4f}: the measurement is wrong",
                     cycles_per_byte, least_part_of_floor, floor);
}

std::string floors_source(const Cpu& cpu) {
  if (cpu.vendor.empty()) return "unknown on this architecture";
  const std::string who = fmt::format("{} family {}, model {}", cpu.vendor, cpu.family, cpu.model);
  const AesUnit* aes = find_aes_unit(cpu);
  if (aes == nullptr) return fmt::format("unknown for this CPU ({})", who);
  std::string text = fmt::format("{} ({}): a round of AES takes {} cycles", aes->core, who, aes->latency);
  const char* before = "; in a cycle begin ";
  for (const auto& [name, count] :
       {std::pair{"xmm", aes->xmm_a_cycle}, {"ymm", aes->ymm_a_cycle}, {"zmm", aes->zmm_a_cycle}}) {
    if (count == 0) continue;
    text += fmt::format("{}{} in {}", before, count, name);
    before = ", ";
  }
  return text;
}

}  // namespace aesgate
