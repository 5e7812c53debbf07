#include "perf/model_call.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "witness/aes_opcode.h"

namespace aesgate {
namespace {

using Code = std::span<const std::uint8_t>;

/// By LLVM's names, llvm/lib/TargetParser/X86TargetParser.cpp: the CPUs of today that lack some of it. Others of
/// LLVM's list that have AES instructions have all of it, or are older than any of it and below.
struct Lacking {
  std::string_view cpu;
  bool avx512, gfni, vaes;  // lacks it
};
constexpr std::array lacking{Lacking{"westmere", true, true, true},      Lacking{"sandybridge", true, true, true},
                             Lacking{"ivybridge", true, true, true},     Lacking{"haswell", true, true, true},
                             Lacking{"broadwell", true, true, true},     Lacking{"skylake", true, true, true},
                             Lacking{"silvermont", true, true, true},    Lacking{"goldmont", true, true, true},
                             Lacking{"tremont", true, false, true},      Lacking{"skylake-avx512", false, true, true},
                             Lacking{"cascadelake", false, true, true},  Lacking{"btver2", true, true, true},
                             Lacking{"bdver2", true, true, true},        Lacking{"bdver4", true, true, true},
                             Lacking{"znver1", true, true, true},        Lacking{"znver2", true, true, true},
                             Lacking{"znver3", true, true, false},       Lacking{"alderlake", true, false, false},
                             Lacking{"raptorlake", true, false, false},  Lacking{"meteorlake", true, false, false},
                             Lacking{"arrowlake", true, false, false},   Lacking{"arrowlake-s", true, false, false},
                             Lacking{"lunarlake", true, false, false},   Lacking{"gracemont", true, false, false},
                             Lacking{"sierraforest", true, false, false}};

/// The instructions of a trace, in order.
std::vector<Code> instructions_of(const std::vector<std::uint64_t>& code) {
  std::map<std::uint64_t, Code> known;
  std::vector<Code> instructions;
  for (const std::uint64_t address : code) {
    const auto [found, added] = known.try_emplace(address);
    if (added) found->second = {reinterpret_cast<const std::uint8_t*>(address), witness::aes_opcode_at(address).length};
    instructions.push_back(found->second);
  }
  return instructions;
}

}  // namespace

std::string lacks_for(const std::string& cpu, Code instruction) {
  const auto found = std::ranges::find(lacking, cpu, &Lacking::cpu);
  if (found == lacking.end() || instruction.empty()) return {};
  const witness::AesOpcode opcode = witness::aes_opcode(instruction);
  constexpr std::uint8_t evex = 0x62;  // in 64-bit mode (Intel SDM volume 2, section 2.7.1)
  if (found->avx512 && instruction.front() == evex) return "AVX-512";
  if (found->gfni && opcode && !opcode.is_aes()) return "GFNI";
  if (found->vaes && opcode.is_aes() && opcode.lanes > 1) return "VAES";
  return {};
}

std::vector<ModelledCycles> model_call(const LlvmMca& mca, const CountedCall& call,
                                       const std::vector<std::string>& cpus) {
  const std::vector<std::uint64_t> code = call.code();
  const std::vector<Code> instructions = instructions_of(code);
  const auto assembly = mca.disassemble(instructions);
  std::vector<ModelledCycles> all;
  for (const std::string& cpu : cpus) {
    ModelledCycles& modelled = all.emplace_back();
    modelled.cpu = cpu;
    std::set<std::string> lacks;
    for (const Code instruction : instructions) lacks.insert(lacks_for(cpu, instruction));
    lacks.erase("");
    if (!lacks.empty()) {
      modelled.reason = fmt::format("{} has no {}", cpu, *lacks.begin());
      continue;
    }
    const auto cycles = assembly ? mca.cycles(*assembly, cpu) : tl::unexpected(assembly.error());
    if (cycles)
      modelled.cycles_a_call = *cycles;
    else
      modelled.reason = cycles.error().message;
  }
  return all;
}

}  // namespace aesgate
