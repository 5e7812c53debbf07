#include "witness/program_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "witness/kernel_sentences.h"

namespace aesgate::witness {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Tries& tries) {
  Json failed = Json::object();
  for (const auto& [number, times] : tries.failed) failed[errno_name(number)] = times;
  return {{"done", tries.done}, {"failed", failed}};
}

template <typename Key, typename Name>
Json to_json(const std::map<Key, Tries>& all, const Name& name) {
  Json object = Json::object();
  for (const auto& [key, tries] : all) object[name(key)] = to_json(tries);
  return object;
}

const ObjectTally* tally_of(const AesUse& use, const TracedRun& run) {
  for (const auto& [number, tally] : run.samples.objects)
    if ((*run.objects)[number].path == use.path && tally.aes_samples == use.samples) return &tally;
  return nullptr;
}

Json to_json(const AesUse& use, const TracedRun& run) {
  Json rounds = Json::array(), sites = Json::array();
  if (const ObjectTally* const tally = tally_of(use, run)) {
    for (const auto& [found, times] : tally->rounds)
      rounds.push_back({{"rounds", found.count},
                        {"key_bits", found.key_bits()},
                        {"blocks_at_a_time", found.blocks},
                        {"times", times}});
    for (const auto& [offset, site] : tally->aes)
      sites.push_back({{"offset", offset},
                       {"instruction", mnemonic(site.opcode)},
                       {"lanes", site.opcode.lanes},
                       {"times", site.executed}});
  }
  return {{"object", use.object},
          {"path", use.path},
          {"unit", use.unit},
          {"instructions", use.instructions},
          {"functions", use.functions},
          {"stripped", use.stripped},
          {"samples", use.samples},
          {"cipher_samples", use.cipher_samples},
          {"executed", use.executed},
          {"rounds", rounds},
          {"sites", sites}};
}

Json samples_json(const TracedRun& run) {
  const SampleTally& samples = run.samples;
  Json objects = Json::object();
  for (const auto& [number, tally] : samples.objects)
    if (tally.samples != 0) {
      const CodeObject& object = (*run.objects)[number];
      Json& count = objects[object.path.empty() ? object.name : object.path];
      count = (count.is_number() ? count.get<std::uint64_t>() : 0) + tally.samples;
    }
  return {{"taken", samples.samples},
          {"with_aes", samples.aes_samples},
          {"after_calls", samples.after_calls},
          {"in_kernel", samples.in_kernel},
          {"instructions", samples.instructions},
          {"aes_instructions", samples.aes_instructions},
          {"held_seconds", samples.held_seconds},
          {"most_unseen", most_unseen(samples.fair_samples())},
          {"not_stepped", Json(samples.not_stepped)},
          {"objects", objects}};
}

Json kernel_json(const TracedRun& run) {
  const KernelTraffic& traffic = run.traffic;
  const auto same = [](const std::string& name) { return name; };
  return {{"calls_seen", sees_all_calls(run)},
          {"crossings", traffic.crossings()},
          {"af_alg_sockets", to_json(traffic.af_alg_sockets)},
          {"af_alg_binds", to_json(traffic.af_alg_binds, same)},
          {"af_alg_requests", Json(traffic.af_alg_requests)},
          {"crypto_device", to_json(traffic.crypto_device)},
          {"crypto_ioctls", to_json(traffic.crypto_ioctls, ioctl_name)},
          {"crypto_sessions", to_json(traffic.crypto_sessions, same)},
          {"modules", to_json(traffic.modules, same)},
          {"ptrace", to_json(traffic.ptrace_calls)},
          {"stops", traffic.stops}};
}

}  // namespace

nlohmann::ordered_json to_json(const ProgramAnswer& answer, const TracedRun& run) {
  Json uses = Json::array();
  for (const AesUse& use : answer.uses) uses.push_back(to_json(use, run));
  const bool signalled = run.end.how == ProgramEnd::How::signalled;
  return {{"arguments", run.arguments},
          {"commands", run.commands},
          {"end",
           {{"status", run.end.status()},
            {"signal", signalled ? Json(run.end.number) : Json(nullptr)},
            {"timed_out", run.end.timed_out}}},
          {"verdict", word(answer.verdict)},
          {"answer", answer.paragraph()},
          {"aes", uses},
          {"samples", samples_json(run)},
          {"kernel", kernel_json(run)},
          {"cpu",
           {{"user_seconds", run.user_seconds},
            {"system_seconds", run.system_seconds},
            {"wall_seconds", run.wall_seconds}}},
          {"processes", run.processes},
          {"threads", run.threads},
          {"not_seen", answer.limits}};
}

}  // namespace aesgate::witness
