#include "witness/program_answer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/trap.h"
#include "witness/kernel_sentences.h"
#include "witness/object_symbols.h"

namespace aesgate::witness {
namespace {

constexpr std::size_t most_functions = 4;

template <typename Key>
std::vector<Key> by_weight(const std::map<Key, std::uint64_t>& weights) {
  std::vector<std::pair<Key, std::uint64_t>> sorted(weights.begin(), weights.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Key> keys;
  for (auto& [key, weight] : sorted) keys.push_back(std::move(key));
  return keys;
}

std::string_view register_of(const AesOpcode& opcode) {
  return opcode.lanes == 4 ? "zmm" : opcode.lanes == 2 ? "ymm" : "xmm";
}

/// "AESENC (xmm)", "VAESENC (zmm)": rounds of both kinds are one word.
std::string instruction_name(AesOpcode opcode) {
  if (opcode.operation == AesOperation::last_round) opcode.operation = AesOperation::round;
  if (opcode.operation == AesOperation::xcrypt) return "XCRYPT (PadLock)";
  if (opcode.operation == AesOperation::key_locker) return fmt::format("{} (Key Locker)", mnemonic(opcode));
  return fmt::format("{}{} ({})", opcode.encoding == Encoding::legacy ? "" : "V", mnemonic(opcode),
                     register_of(opcode));
}

bool is_key_setup(const AesOpcode& opcode) {
  return opcode.operation == AesOperation::key_assist || opcode.operation == AesOperation::inverse_mix_columns;
}

AesUse use_of(const CodeObject& object, const ObjectTally& tally) {
  AesUse use{object.name, object.path, false, {}, {}, {}, {}, tally.aes_samples, 0, tally.cipher_samples};
  std::map<std::string, std::uint64_t> instructions, units, functions, setup;
  const ObjectSymbols symbols(object.file);
  use.stripped = symbols.is_stripped();
  for (const auto& [offset, site] : tally.aes) {
    use.executed += site.executed;
    const std::uint64_t blocks = site.executed * std::max<std::uint64_t>(site.opcode.lanes, 1);
    (is_key_setup(site.opcode) ? setup : instructions)[instruction_name(site.opcode)] += blocks;
    if (!is_key_setup(site.opcode)) units[std::string(unit_of(site.opcode))] += blocks;
    if (const auto function = object.is_anonymous() ? std::nullopt : symbols.function_at(offset))
      functions[*function] += site.executed;
  }
  use.instructions = by_weight(instructions.empty() ? setup : instructions);
  if (!units.empty()) use.unit = by_weight(units).front();
  use.functions = by_weight(functions);
  use.rounds = by_weight(tally.rounds);
  return use;
}

/// "AES-128-CBC": the key size by the rounds that were seen, the mode by the command, where the two agree.
std::string name_of(const AesUse& use, const AskedFor& asked) {
  std::set<unsigned> sizes;
  for (const Rounds& rounds : use.rounds) sizes.insert(rounds.key_bits());
  if (sizes.empty()) {
    if (asked.algorithms.size() == 1) return "AES (the command says " + asked.algorithms[0].name() + ")";
    return "AES";
  }
  if (sizes.size() == 1 && asked.algorithms.size() == 1) {
    AskedAlgorithm algorithm = asked.algorithms[0];
    const unsigned seen = *sizes.begin();
    if (algorithm.key_bits == 0 || algorithm.key_bits == seen) {
      algorithm.key_bits = seen;
      return algorithm.name();
    }
    return fmt::format("AES-{} (the command says {})", seen, algorithm.name());
  }
  std::vector<std::string> names;
  for (const unsigned bits : sizes) names.push_back(fmt::format("AES-{}", bits));
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string at_a_time(const AesUse& use) {
  if (use.rounds.empty()) return {};
  const unsigned blocks = use.rounds.front().blocks;
  return blocks == 1 ? ", one block at a time" : fmt::format(", {} blocks at a time", blocks);
}

std::string place_of(const AesUse& use) {
  if (use.functions.empty()) return use.object;
  const auto end = use.functions.begin() + static_cast<std::ptrdiff_t>(std::min(use.functions.size(), most_functions));
  return fmt::format("{} (in {}{})", use.object, fmt::join(use.functions.begin(), end, ", "),
                     end == use.functions.end() ? "" : ", …");
}

std::string sentence_of(const AesUse& use, const AskedFor& asked) {
  if (use.unit.empty())
    return fmt::format("AES keys were set up in {} by {}", place_of(use), fmt::join(use.instructions, " and "));
  if (!use.is_aes())
    return fmt::format("AES instructions ran in {}, {}, but no cipher's rounds were seen", place_of(use),
                       fmt::join(use.instructions, " and "));
  return fmt::format("{} ran in {} on {}{}", name_of(use, asked), place_of(use), fmt::join(use.instructions, " and "),
                     at_a_time(use));
}

/// Where the samples were that saw no AES instruction: "libcrypto.so.3 (20 of 20 samples, the most in vpaes_encrypt)".
std::string busiest(const TracedRun& run) {
  const auto most = std::max_element(run.samples.objects.begin(), run.samples.objects.end(),
                                     [](const auto& a, const auto& b) { return a.second.samples < b.second.samples; });
  if (most == run.samples.objects.end() || most->second.samples == 0) return {};
  const CodeObject& object = (*run.objects)[most->first];
  const ObjectSymbols symbols(object.file);
  std::map<std::string, std::uint64_t> functions;
  for (const auto& [offset, times] : most->second.begins)
    if (const auto function = object.is_anonymous() ? std::nullopt : symbols.function_at(offset))
      functions[*function] += times;
  const std::string where = functions.empty() ? (symbols.is_stripped() && !object.is_anonymous()
                                                     ? ", which is stripped, so that no function can be named"
                                                     : "")
                                              : ", most in " + by_weight(functions).front();
  return fmt::format("{} of {} samples began in {}{}", most->second.samples, run.samples.samples, object.name, where);
}

std::string not_seen(const TracedRun& run, const AskedFor& asked) {
  const std::string what = asked.algorithms.size() == 1 ? asked.algorithms[0].name() : "what AES it did";
  return fmt::format(
      "no AES instruction was seen: {}. With 95 % confidence, code with AES instructions took less than "
      "{:.0f} % of its time; {} ran in software, or not on the CPU",
      busiest(run), std::ceil(100 * most_unseen(run.samples.fair_samples())), what);
}

std::string why_unknown(const TracedRun& run) {
  if (!run.why_no_samples.empty()) return run.why_no_samples;
  const double cpu = run.user_seconds + run.system_seconds;
  const std::uint64_t samples = run.samples.fair_samples();
  if (samples >= enough_samples && !run.samples.not_stepped.empty())
    return fmt::format("none was seen, but not all of it could be stepped: {}", run.samples.not_stepped.begin()->first);
  if (run.samples.samples != 0)
    return fmt::format("none was seen, but {} sample{} in {:.3f} s of CPU time {} too few to say that none ran; {}",
                       samples, samples == 1 ? "" : "s", cpu, samples == 1 ? "is" : "are", how_to_get_enough(samples));
  if (!run.samples.not_stepped.empty())
    return fmt::format("it could not be stepped: {}", run.samples.not_stepped.begin()->first);
  if (run.samples.in_kernel != 0)
    return fmt::format("it ran for {:.3f} s of CPU time, and was in the kernel whenever it was looked at", cpu);
  return fmt::format("it ran for {:.3f} s of CPU time, which is too short for a sample", cpu);
}

std::string seen_by_samples(const SampleTally& samples) {
  if (samples.samples == 0) return "There were no samples";
  return fmt::format("{} of {} sample{} saw AES instructions ({} of {} instructions)", samples.aes_samples,
                     samples.samples, samples.samples == 1 ? "" : "s", samples.aes_instructions, samples.instructions);
}

void add_figures(const TracedRun& run, ProgramAnswer& answer) {
  const double cpu = run.user_seconds + run.system_seconds;
  if (run.why_no_samples.empty()) answer.figures.push_back(seen_by_samples(run.samples));
  answer.figures.push_back(fmt::format("{:.2f} s of CPU time ({:.2f} of it in the kernel) in {:.2f} s: {:.0f} %", cpu,
                                       run.system_seconds, run.wall_seconds,
                                       run.wall_seconds > 0 ? 100 * cpu / run.wall_seconds : 0.0));
  if (run.processes > 1 || run.threads > 1)
    answer.figures.push_back(
        fmt::format("{} process{}, {} threads", run.processes, run.processes == 1 ? "" : "es", run.threads));
  if (run.samples.held_seconds >= 0.005)
    answer.figures.push_back(fmt::format("samples held it for {:.2f} s", run.samples.held_seconds));
  if (run.end.timed_out) answer.figures.emplace_back("it was ended by the time limit");
  if (run.end.how == ProgramEnd::How::signalled)
    answer.figures.push_back("it was ended by " + signal_name(run.end.number));
}

}  // namespace

std::string_view word(ProgramVerdict verdict) {
  switch (verdict) {
    case ProgramVerdict::proven: return "PROVEN";
    case ProgramVerdict::refuted: return "REFUTED";
    case ProgramVerdict::consistent: return "CONSISTENT";
    case ProgramVerdict::unknown: break;
  }
  return "UNKNOWN";
}

double most_unseen(std::uint64_t samples) {
  return samples == 0 ? 1.0 : 1.0 - std::pow(0.05, 1.0 / static_cast<double>(samples));
}

std::string how_to_get_enough(std::uint64_t samples) {
  const std::uint64_t times = samples == 0 ? enough_samples : (enough_samples + samples - 1) / samples;
  return fmt::format("{} are needed: let it run {} times as long, or where less else runs", enough_samples, times);
}

ProgramAnswer answer(const TracedRun& run) {
  ProgramAnswer answer;
  const AskedFor asked =
      asked_for(run.commands.empty() ? std::vector<std::vector<std::string>>{run.arguments} : run.commands);
  for (const auto& [number, tally] : run.samples.objects)
    if (!tally.aes.empty()) answer.uses.push_back(use_of((*run.objects)[number], tally));
  std::stable_sort(answer.uses.begin(), answer.uses.end(),
                   [](const AesUse& a, const AesUse& b) { return a.samples > b.samples; });
  std::vector<std::string> ran;
  for (const AesUse& use : answer.uses) {
    ran.push_back(sentence_of(use, asked));
    if (use.is_aes()) answer.verdict = ProgramVerdict::proven;
  }
  if (run.traffic.crossings() != 0) {
    ran.push_back(kernel_aes(run.traffic));
    answer.verdict = ProgramVerdict::proven;
  }
  if (!ran.empty()) {
    answer.found = fmt::format("{}", fmt::join(ran, "; "));
  } else if (run.samples.fair_samples() >= enough_samples && run.samples.not_stepped.empty()) {
    answer.verdict = ProgramVerdict::consistent;
    answer.found = not_seen(run, asked);
  } else {
    answer.found = "whether AES instructions ran: " + why_unknown(run);
  }
  answer.kernel = kernel_sentences(run, asked, !answer.uses.empty());
  add_figures(run, answer);
  answer.limits = limit_sentences(run);
  return answer;
}

std::string ProgramAnswer::paragraph() const {
  std::string text = fmt::format("{}: {}", word(verdict), found);
  for (const std::string& part : kernel) text += "; " + part;
  text += fmt::format(". {}.", fmt::join(figures, "; "));
  for (const std::string& limit : limits) text += fmt::format(" Not seen: {}.", limit);
  return text;
}

}  // namespace aesgate::witness
