#include "witness/kernel_sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "witness/code_place.h"

namespace aesgate::witness {
namespace {

/// "ENOENT", "ENOENT and EACCES".
std::string failures(const Tries& tries) {
  std::vector<std::string> names;
  for (const auto& [number, times] : tries.failed) names.push_back(errno_name(number));
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string plural(std::uint64_t number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

/// Why the kernel's AES was not there for it; empty if it was, or was not asked for.
std::string why_unavailable(const KernelTraffic& traffic) {
  if (traffic.af_alg_sockets.done == 0 && traffic.af_alg_sockets.failures() != 0)
    return "socket(AF_ALG) failed with " + failures(traffic.af_alg_sockets);
  for (const auto& [name, tries] : traffic.af_alg_binds)
    if (tries.done == 0) return fmt::format("bind() to {} failed with {}", name, failures(tries));
  if (traffic.crypto_device.done == 0 && traffic.crypto_device.failures() != 0)
    return "open(\"/dev/crypto\") failed with " + failures(traffic.crypto_device);
  return {};
}

/// What is known of the module `name` of OpenSSL ("afalg"): its file, and how opening it went.
const std::pair<const std::string, Tries>* module_of(const KernelTraffic& traffic, const std::string& name) {
  const std::pair<const std::string, Tries>* found = nullptr;
  for (const auto& module : traffic.modules) {
    const std::string file = last_component(module.first);
    if (file != name + ".so" && file != "lib" + name + ".so") continue;
    if (found == nullptr || module.second.done != 0) found = &module;
  }
  return found;
}

std::string engine_sentence(const TracedRun& run, const std::string& engine, bool on_cpu) {
  const auto* const module = module_of(run.traffic, engine);
  std::string became;
  const std::string why = why_unavailable(run.traffic);
  if (module != nullptr && module->second.done == 0)
    became = fmt::format("is unavailable: {} could not be opened ({})", module->first, failures(module->second));
  else if (!why.empty() && run.traffic.crossings() == 0)
    became = "is unavailable: " + why;
  else if (run.traffic.crossings() != 0)
    return fmt::format("the engine `{}` was asked for, and the kernel was asked for AES", engine);
  else if (module != nullptr)
    became = fmt::format("was loaded from {}, and asked the kernel for nothing", module->first);
  else
    became = "no module of that name was opened";
  std::string text = fmt::format("the engine `{}` was asked for and {}", engine, became);
  if (on_cpu) text += "; the run went on in software, on the CPU";
  return text;
}

/// "/dev/crypto, AES-CBC, 3 CIOCCRYPT, 1 CIOCGSESSION".
std::string device_sentence(const KernelTraffic& traffic) {
  std::vector<std::string> parts{"/dev/crypto"};
  for (const auto& [cipher, tries] : traffic.crypto_sessions)
    if (tries.done != 0) parts.push_back(cipher);
  for (const auto& [number, tries] : traffic.crypto_ioctls)
    if (tries.done != 0) parts.push_back(fmt::format("{} {}", tries.done, ioctl_name(number)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void add_traffic(const TracedRun& run, std::vector<std::string>& sentences) {
  const KernelTraffic& traffic = run.traffic;
  if (!sees_all_calls(run)) return;
  if (traffic.crossings() == 0) sentences.emplace_back("0 kernel crossings for AES");
  for (const auto& [name, times] : traffic.af_alg_requests)
    if (!is_aes_name(name))
      sentences.push_back(
          fmt::format("{} to AF_ALG for {}", plural(times, "request"), name == "?" ? "what is not known" : name));
  if (traffic.device_crossings() == 0 && !traffic.crypto_ioctls.empty()) sentences.push_back(device_sentence(traffic));
}

}  // namespace

bool sees_all_calls(const TracedRun& run) { return run.traced && run.traffic.foreign_calls == 0 && run.calls_seen; }

std::string kernel_aes(const KernelTraffic& traffic) {
  std::vector<std::string> ways;
  for (const auto& [name, times] : traffic.af_alg_requests)
    if (is_aes_name(name)) ways.push_back(fmt::format("AF_ALG, {}, {}", name, plural(times, "request")));
  if (traffic.device_crossings() != 0) ways.push_back(device_sentence(traffic));
  return fmt::format("the kernel was asked for AES: {}", fmt::join(ways, "; "));
}

std::vector<std::string> kernel_sentences(const TracedRun& run, const AskedFor& asked, bool on_cpu) {
  std::vector<std::string> sentences;
  add_traffic(run, sentences);
  for (const std::string& engine : asked.engines) sentences.push_back(engine_sentence(run, engine, on_cpu));
  const std::string why = why_unavailable(run.traffic);
  if (asked.engines.empty() && !why.empty())
    sentences.push_back("the kernel's AES was asked for and is unavailable: " + why);
  std::vector<std::string> loaded;
  for (const auto& [path, tries] : run.traffic.modules)
    if (tries.done != 0) loaded.push_back(last_component(path));
  if (!loaded.empty()) sentences.push_back(fmt::format("engines and providers loaded: {}", fmt::join(loaded, ", ")));
  for (const std::string& provider : asked.providers) {
    const auto* const module = module_of(run.traffic, provider);
    if (module != nullptr && module->second.done == 0)
      sentences.push_back(fmt::format("the provider `{}` was asked for and {} could not be opened ({})", provider,
                                      module->first, failures(module->second)));
  }
  return sentences;
}

std::vector<std::string> limit_sentences(const TracedRun& run) {
  std::vector<std::string> limits;
  if (!run.traced) {
    limits.push_back("system calls and instructions, since " + run.why_not_traced);
    return limits;
  }
  const SampleTally& samples = run.samples;
  if (!run.calls_seen)
    limits.push_back("system calls: this kernel does not tell of them (PTRACE_GET_SYSCALL_INFO, Linux 5.3)");
  if (run.traffic.foreign_calls != 0) limits.push_back("system calls of a 32-bit program");
  if (!run.why_no_samples.empty()) limits.push_back("instructions, since " + run.why_no_samples);
  for (const auto& [why, times] : samples.not_stepped)
    limits.push_back(fmt::format("the instructions at {}: {}", plural(times, "stop"), why));
  const bool denied = run.traffic.ptrace_calls.failures() != 0;
  if (denied)
    limits.push_back("what the program would have done with ptrace(), which failed, since it is being traced itself");
  for (const std::string& program : run.unprivileged)
    limits.push_back(fmt::format(
        "{} with its privileges: a set-user-ID program that is watched by another user than root has none", program));
  for (const auto& [number, tally] : samples.objects)
    if (!tally.aes.empty() && (*run.objects)[number].path.empty())
      limits.push_back(
          "the functions in anonymous memory (a JIT, or a program that unpacked itself), which has no symbols");
  return limits;
}

}  // namespace aesgate::witness
