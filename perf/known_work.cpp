#include "perf/known_work.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "core/cpu.h"
#include "perf/pinned_thread.h"
#include "perf/sampler.h"
#include "perf/statistics.h"
#include "perf/update_loop.h"

namespace aesgate {
namespace {

#if defined(__x86_64__)

// A run is some 35 µs, so that a step of the counter is under 0.1% of it.
constexpr std::uint32_t chain_rounds = 125, chain_length = 256;
constexpr std::uint32_t cbc_blocks = 3200;

// Whatever the values are, the time is the same; only the dependences count.
alignas(64) std::array<std::uint8_t, 12 * 16> schedule{};
alignas(64) std::array<std::uint8_t, 16> block{};

void aesenc_chain() {
  std::uint32_t n = chain_rounds;
  asm volatile("1:\n\t.rept 256\n\taesenc %%xmm1, %%xmm0\n\t.endr\n\tdec %0\n\tjnz 1b"
               : "+r"(n)
               :
               : "xmm0", "xmm1", "cc");
}

/// The state is that of the block before: the input and the first round key go into the last one's AESENCLAST, by an
/// XOR that waits for nothing.
void cbc_folded() {
  std::uint32_t n = cbc_blocks;
  asm volatile(
      "1:\n\t"
      "movdqa (%2), %%xmm1\n\t"
      "pxor (%1), %%xmm1\n\t"
      ".set aesgate_round, 16\n\t"
      ".rept 9\n\taesenc aesgate_round(%1), %%xmm0\n\t.set aesgate_round, aesgate_round + 16\n\t.endr\n\t"
      "aesenclast %%xmm1, %%xmm0\n\t"
      "dec %0\n\tjnz 1b"
      : "+r"(n)
      : "r"(schedule.data()), "r"(block.data())
      : "xmm0", "xmm1", "cc", "memory");
}

void cbc_unfolded() {
  std::uint32_t n = cbc_blocks;
  asm volatile(
      "1:\n\t"
      "pxor (%2), %%xmm0\n\t"
      "pxor (%1), %%xmm0\n\t"
      ".set aesgate_round, 16\n\t"
      ".rept 9\n\taesenc aesgate_round(%1), %%xmm0\n\t.set aesgate_round, aesgate_round + 16\n\t.endr\n\t"
      "aesenclast aesgate_round(%1), %%xmm0\n\t"
      "dec %0\n\tjnz 1b"
      : "+r"(n)
      : "r"(schedule.data()), "r"(block.data())
      : "xmm0", "cc", "memory");
}

#endif

constexpr std::size_t least_used = 11;

}  // namespace

std::vector<KnownWork> known_works([[maybe_unused]] const AesUnit* aes) {
  std::vector<KnownWork> works;
#if defined(__x86_64__)
  if (!has(Feature::aes)) return works;
  const auto cycles = [&](double rounds, double others) -> std::optional<double> {
    if (aes == nullptr) return std::nullopt;
    return rounds * aes->latency + others * aes->xor_latency;
  };
  const bool knows_xor = aes != nullptr && aes->xor_latency > 0;
  works.push_back({"a chain of AESENC", "cycles an instruction", chain_rounds * double{chain_length}, cycles(1, 0),
                   0.005, aesenc_chain});
  const double bytes = 16.0 * cbc_blocks;
  const auto a_byte = [](std::optional<double> a_block) { return a_block ? *a_block / 16 : a_block; };
  works.push_back(
      {"CBC encrypt, XOR folded into AESENCLAST", "cycles/byte", bytes, a_byte(cycles(10, 0)), 0.01, cbc_folded});
  works.push_back({"CBC encrypt, two XORs outside of it", "cycles/byte", bytes,
                   knows_xor ? a_byte(cycles(10, 2)) : std::nullopt, 0.01, cbc_unfolded});
#endif
  return works;
}

std::optional<bool> KnownFigure::holds() const {
  if (!expected || !median) return std::nullopt;
  return std::abs(*median / *expected - 1) <= tolerance;
}

std::vector<KnownFigure> measure_known(const std::vector<KnownWork>& works, Clock& clock, Calibration& calibration,
                                       double seconds) {
  using std::chrono::steady_clock;
  std::vector<KnownFigure> figures;
  for (const KnownWork& work : works) {
    KnownFigure figure{work.name, work.unit, work.expected, work.tolerance, {}, 0, 0, 0, 0};
    std::vector<double> values, widths;
    work.run();
    const auto end = steady_clock::now() + std::chrono::duration<double>(seconds);
    Reading before = calibration.read();
    while (figure.taken < least_used || steady_clock::now() < end) {
      const long switches = context_switches();
      const std::uint64_t from = clock.start();
      work.run();
      const std::uint64_t to = clock.stop();
      const double units = static_cast<double>(to - from) - clock.description().overhead;
      const bool kept_its_cpu = context_switches() == switches;
      const Reading after = calibration.read();
      const auto calibrated = calibration.between(before, after);
      before = after;
      ++figure.taken;
      if (!calibrated || !kept_its_cpu) continue;
      values.push_back(units / calibrated->units_per_cycle / work.amount);
    }
    figure.used = values.size();
    if (figure.used >= least_used && figure.used * 4 >= figure.taken) {
      const Estimate of = estimate(std::move(values));
      figure.median = of.median;
      figure.low = of.low;
      figure.high = of.high;
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

int ClockCheck::exit_status() const {
  bool open = figures.empty(), known = false;
  for (const KnownFigure& figure : figures) {
    const auto holds = figure.holds();
    if (holds && !*holds) return 1;
    known |= holds.has_value();
    open |= !figure.median;
  }
  return open || !known ? 3 : 0;
}

Result<ClockCheck> check_clock(double seconds) {
  const auto probes = cpu_probes();
  if (!probes) return error("this architecture has no chains of known latency here: nothing says what a core cycle is");
  const PinnedThread pinned;
  const auto clock = best_clock();
  Calibration calibration(*clock, *probes);
  const AesUnit* const aes = find_aes_unit(this_cpu());
  ClockCheck check{describe_host(), clock->description(), floors_source(this_cpu()), {}};
  check.figures = measure_known(known_works(aes), *clock, calibration, seconds);
  return check;
}

std::string to_text(const ClockCheck& check) {
  std::string text =
      fmt::format("clock   {}\ncycles  by chains of ADD and IMUL\ncore    {}\n\n", check.clock.name, check.floors);
  if (check.figures.empty()) return text + "nothing to check: it takes AES-NI, which this CPU lacks or a mask hides\n";
  for (const KnownFigure& figure : check.figures) {
    const std::string samples = fmt::format("{} of {} samples", figure.used, figure.taken);
    const auto holds = figure.holds();
    text += fmt::format("{:41}", figure.name);
    if (!figure.median) {
      text += fmt::format("not measurable: contended, {} could be used\n", samples);
      continue;
    }
    text +=
        fmt::format("{:7.4f} {} [{:.4f}, {:.4f}], {}; ", *figure.median, figure.unit, figure.low, figure.high, samples);
    text += figure.expected ? fmt::format("expected {:.2f} within {}%: {}\n", *figure.expected, figure.tolerance * 100,
                                          *holds ? "holds" : "DOES NOT HOLD")
                            : "what it should be is not known for this core\n";
  }
  return text;
}

}  // namespace aesgate
