#include <cmath>

#include <fmt/format.h>

#include "core/bytes.h"
#include "perf/crossover.h"

namespace aesgate {
namespace {

/// A size that a mode takes: whole blocks.
std::size_t whole_blocks(double bytes) {
  return block_bytes * static_cast<std::size_t>(std::ceil(bytes / static_cast<double>(block_bytes)));
}

std::string bound(double bytes, const CrossoverResult& result) {
  if (bytes == 0) return fmt::format("below {}", result.sizes.front().bytes);
  if (std::isinf(bytes)) return fmt::format("above {}", result.sizes.back().bytes);
  return fmt::format("{:.0f}", bytes);
}

std::string answer(const CrossoverReport& report, const CrossoverResult& result) {
  const Crossover& crossover = result.crossover;
  const std::size_t first = result.sizes.front().bytes, last = result.sizes.back().bytes;
  switch (crossover.answer) {
    case Crossover::Answer::from:
      return fmt::format("{} is faster from {} bytes a call on (95% interval: {} to {})", report.b,
                         bound(crossover.bytes, result), bound(crossover.low, result), bound(crossover.high, result));
    case Crossover::Answer::always:
      return fmt::format("always: {} is faster at every size from {} to {} bytes", report.b, first, last);
    case Crossover::Answer::never:
      return fmt::format("never: {} is faster at every size up to {} bytes, the largest measured", report.a, last);
    case Crossover::Answer::unclear: break;
  }
  return fmt::format(
      "unclear: no size parts {} and {}: neither is surely faster at the largest, or they take the lead in turns",
      report.a, report.b);
}

/// The engine that comes with OpenSSL sends it all to the kernel; the other one of that name (version 1.2.0 and later)
/// takes the smallest request of each cipher from this line, and does what is smaller in software.
std::string afalg_line(const CrossoverResult& result) {
  if (result.shape.mode != Mode::cbc && result.shape.mode != Mode::ecb) return {};
  const std::string cipher = fmt::format("AES-{}-{}", bits(result.shape.key_size), name(result.shape.mode));
  switch (result.crossover.answer) {
    case Crossover::Answer::from:
      if (std::isinf(result.crossover.bytes)) return {};
      return fmt::format("CIPHERS={}:{}", cipher, whole_blocks(result.crossover.bytes));
    case Crossover::Answer::always: return fmt::format("CIPHERS={}:0", cipher);
    case Crossover::Answer::never: return fmt::format("no {} in CIPHERS: it does not pay", cipher);
    case Crossover::Answer::unclear: break;
  }
  return {};
}

bool is_afalg(const CrossoverReport& report) {
  return report.b.find("af_alg") != std::string::npos || report.b.find("afalg") != std::string::npos;
}

std::string ratios(const CrossoverReport& report, const CrossoverResult& result) {
  std::string text = fmt::format("  {:>8}  {:>14}  {:>16}  95% interval\n", "bytes", report.a + ", ns/call",
                                 report.b + " / " + report.a);
  for (const CrossoverResult::Size& size : result.sizes)
    text += fmt::format("  {:>8}  {:>14.1f}  {:>16.3f}  {:.3f} to {:.3f}\n", size.bytes, size.nanoseconds_a,
                        size.ratio.median, size.ratio.low, size.ratio.high);
  return text;
}

}  // namespace

std::string to_text(const CrossoverReport& report) {
  std::string text = fmt::format(
      "CPU      {} ({}, {})\nFrom which size of call on is {} faster than {}? Calls in pairs, "
      "in an order that is drawn.\n",
      report.host.cpu, report.host.architecture, report.host.system, report.b, report.a);
  if (report.emulated) text += "EMULATED: the times are a stand-in's, and say nothing of what it stands for.\n";
  for (const CrossoverResult& result : report.results) {
    text += fmt::format("\n{}: ", name(result.shape));
    if (!result.reason.empty() || result.sizes.empty()) {
      text += fmt::format("not measured, {}: {}\n", name(result.verdict),
                          result.reason.empty() ? "no pair took a time that the clock sees" : result.reason);
      continue;
    }
    text += answer(report, result) + '\n' + ratios(report, result);
    if (const std::string line = is_afalg(report) && !report.emulated ? afalg_line(result) : ""; !line.empty())
      text += fmt::format("  openssl.cnf, section of the engine afalg (the one of its own, from 1.2.0 on): {}\n", line);
  }
  return text;
}

}  // namespace aesgate
