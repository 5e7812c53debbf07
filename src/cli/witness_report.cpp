#include "cli/witness_report.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/text_table.h"

namespace aesgate {
namespace {

using witness::BackendWitness;
using witness::CallEvidence;
using witness::Proof;
using Json = nlohmann::ordered_json;

std::size_t count(const WitnessSummary& summary, Proof proof) {
  return static_cast<std::size_t>(
      std::ranges::count_if(summary.backends, [proof](const auto& one) { return one.conclusion.proof == proof; }));
}

std::string label(const BackendWitness& witness) {
  return witness.subject.name + (witness.subject.emulated ? " (emulated)" : "");
}

Tone tone_of(Proof proof) {
  return proof == Proof::proven ? Tone::good : proof == Proof::refuted ? Tone::bad : Tone::plain;
}

std::uint64_t instructions(const BackendWitness& witness) {
  std::uint64_t all = 0;
  for (const auto& shape : witness.evidence) {
    all += shape.call.counts.steps + (shape.long_call ? shape.long_call->counts.steps : 0);
    for (const auto& further : shape.further_calls) all += further.call.counts.steps;
  }
  return all;
}

std::string table(const WitnessSummary& summary, bool colour) {
  TextTable table;
  table.add({{"backend"}, {"claims"}, {"verdict"}, {"shapes"}, {"blocks"}, {"instructions seen"}});
  for (const BackendWitness& one : summary.backends) {
    std::uint64_t blocks = 0;
    for (const auto& shape : one.evidence) blocks += shape.call.blocks;
    table.add({{label(one)},
               {one.subject.unit},
               {std::string(name(one.conclusion.proof)), tone_of(one.conclusion.proof)},
               {fmt::format("{}", one.shapes.size())},
               {fmt::format("{}", blocks)},
               {fmt::format("{}", instructions(one))}});
  }
  return table.text(colour);
}

/// What is said of a backend below the table, a line each.
std::string remarks(const BackendWitness& one) {
  std::string text;
  const auto add = [&](const std::string& line) { text += wrapped(fmt::format("{}: ", label(one)), line); };
  const std::string& ran = one.conclusion.ran;
  if (!one.conclusion.reason.empty())
    add(fmt::format("{}: {}", name(one.conclusion.proof), one.conclusion.reason));
  else if (ran != one.subject.unit && !ran.empty())
    add(fmt::format("ran on {}", ran));
  if (one.conclusion.proof == Proof::proven && witness::parse_claim(one.subject.unit) == witness::Claim::kernel)
    add(one.served_by.empty() ? "the kernel does not say which driver served it"
                              : fmt::format("served in the kernel: {}", one.served_by));
  for (const std::string& interrupt : one.interrupts) add(fmt::format("interrupts meanwhile: {}", interrupt));
  for (const std::string& note : one.conclusion.notes) add(note);
  return text;
}

std::string sentence(const WitnessSummary& summary) {
  std::string text;
  for (const Proof proof : {Proof::refuted, Proof::unknown, Proof::consistent, Proof::proven})
    if (const std::size_t found = count(summary, proof); found > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(proof), found);
  if (text.empty()) text = "NOTHING WITNESSED";
  text += fmt::format(" of {} backend{}", summary.backends.size(), summary.backends.size() == 1 ? "" : "s");
  if (!summary.unavailable.empty()) text += fmt::format("; {} unavailable", summary.unavailable.size());
  if (summary.exit_status() == 3 && !summary.backends.empty()) text += "; --require-proof wants PROVEN from each";
  return fmt::format("{}  ({:.1f} s)\n", text, summary.seconds);
}

Json lanes(const witness::ByWidth& widths) { return {{"xmm", widths[0]}, {"ymm", widths[1]}, {"zmm", widths[2]}}; }

Json further_json(const witness::FurtherCall& further) {
  return {{"kind", to_text(further.kind)},
          {"blocks", further.call.blocks},
          {"complete", further.call.end == CallEvidence::End::complete},
          {"instructions", further.call.counts.steps},
          {"blocks_matched", lanes(further.call.matched)}};
}

Json shape_json(const witness::ShapeProof& proof, const witness::ShapeEvidence& evidence) {
  const CallEvidence& call = evidence.call;
  Json further = Json::array();
  for (const auto& one : evidence.further_calls) further.push_back(further_json(one));
  const witness::CallCounts& counts = call.counts;
  return {{"shape", name(all_shapes()[proof.shape])},
          {"verdict", name(proof.proof)},
          {"ran", proof.ran},
          {"reason", proof.reason},
          {"note", proof.note},
          {"blocks", call.blocks},
          {"complete", call.end == CallEvidence::End::complete},
          {"instructions", counts.steps},
          {"aes_instructions", counts.aes_instructions},
          {"first_aes_instruction", call.first_aes_place},
          {"last_round_lanes", lanes(counts.last_lanes)},
          {"blocks_matched", lanes(call.matched)},
          {"xcrypt_blocks", counts.xcrypt_blocks},
          {"gfni_instructions", counts.galois_instructions},
          {"system_calls", counts.system_calls},
          {"device_requests", counts.device_requests},
          {"further_calls", std::move(further)}};
}

}  // namespace

int WitnessSummary::exit_status() const {
  if (count(*this, Proof::refuted) > 0) return 1;
  if (backends.empty()) return 3;
  if (!require_proof) return 0;
  return count(*this, Proof::proven) < backends.size() || (backends_named && !unavailable.empty()) ? 3 : 0;
}

std::string to_text(const WitnessSummary& summary, bool colour) {
  std::string text;
  if (!summary.backends.empty()) text = table(summary, colour) + '\n';
  for (const BackendWitness& one : summary.backends) text += remarks(one);
  for (const auto& [name, why] : summary.unavailable) text += wrapped(fmt::format("{}: unavailable: ", name), why);
  return text + '\n' + sentence(summary);
}

nlohmann::ordered_json to_json(const BackendWitness& one) {
  Json shapes = Json::array();
  for (std::size_t i = 0; i < one.shapes.size(); ++i) shapes.push_back(shape_json(one.shapes[i], one.evidence[i]));
  return {{"name", one.subject.name},         {"claim", one.subject.unit},
          {"emulated", one.subject.emulated}, {"verdict", name(one.conclusion.proof)},
          {"ran", one.conclusion.ran},        {"reason", one.conclusion.reason},
          {"notes", one.conclusion.notes},    {"served_by", one.served_by},
          {"interrupts", one.interrupts},     {"shapes", std::move(shapes)}};
}

nlohmann::ordered_json to_json(const WitnessSummary& summary) {
  Json backends = Json::array(), unavailable = Json::array();
  for (const BackendWitness& one : summary.backends) backends.push_back(to_json(one));
  for (const auto& [name, why] : summary.unavailable) unavailable.push_back({{"name", name}, {"reason", why}});
  return {{"backends", std::move(backends)},
          {"unavailable", std::move(unavailable)},
          {"result",
           {{"proven", count(summary, Proof::proven)},
            {"refuted", count(summary, Proof::refuted)},
            {"consistent", count(summary, Proof::consistent)},
            {"unknown", count(summary, Proof::unknown)},
            {"seconds", summary.seconds},
            {"exit_status", summary.exit_status()}}}};
}

}  // namespace aesgate
