// Fuzz target: one Case, every backend that is available here, judged by both oracles.
//
// AESGATE_BACKENDS="aesni,ttable" limits the backends; AESGATE_EMULATE="padlock" has what is not here emulated. A
// failure is one line, and a reduced .case file beside libFuzzer's own (-artifact_prefix), for `aesgate replay`.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/case_text.h"
#include "core/registry.h"
#include "core/text_file.h"
#include "emulator/emulator.h"
#include "fuzz/case_codec.h"
#include "fuzz/differential.h"
#include "fuzz/target.h"

namespace aesgate {
namespace {

std::vector<const aesgate_backend*> backends;
std::string artifact_prefix = "./";  // libFuzzer's default

[[noreturn]] void leave(int exit_status, const std::string& line) {
  fmt::print(stderr, "{}\n", line);
  std::exit(exit_status);
}

/// Those of AESGATE_EMULATE. They are switched on with the first input: libFuzzer installs its handlers between
/// LLVMFuzzerInitialize() and that, where nobody has, and an emulator's must come after them.
std::vector<std::string> emulators;

/// Why a backend will not run; empty if it will.
std::string why_not(const aesgate_backend& backend) {
  if (std::ranges::find(emulators, emulator::emulator_for(backend)) != emulators.end()) return {};
  return why_unavailable(backend);
}

bool start_emulators() {
  const auto started = emulator::install_from_environment();
  if (!started) report_finding(started.error().message);
  return true;
}

void choose_backends(std::string_view names) {
  if (names.empty()) {
    for (const aesgate_backend* backend : built_in_backends())
      if (why_not(*backend).empty()) backends.push_back(backend);
  } else {
    for (const std::string_view spec : split(names, ',')) {
      const auto backend = find_backend(spec);
      if (!backend) leave(2, fmt::format("AESGATE_BACKENDS: {}", backend.error().message));
      if (const std::string why = why_not(**backend); !why.empty())
        leave(3, fmt::format("AESGATE_BACKENDS: {} is unavailable: {}", spec, why));
      backends.push_back(*backend);
    }
  }
  if (backends.empty()) leave(3, "no backend is available here: `aesgate list` says why");
}

[[noreturn]] void report(const Disagreement& found) {
  const std::string text = to_text(found.reproducer);
  const std::string path = fmt::format("{}mismatch-{}-{:016x}.case", artifact_prefix, found.reproducer.backend,
                                       std::hash<std::string>{}(text));
  const auto written = write_case(path, found.reproducer);
  report_finding(fmt::format("{}; {}", found.line, written ? "replay with " + path : written.error().message));
}

}  // namespace
}  // namespace aesgate

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static constexpr std::string_view option = "-artifact_prefix=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (argument.starts_with(option)) aesgate::artifact_prefix = argument.substr(option.size());
  }
  const auto emulators = aesgate::emulator::named_in_environment();
  if (!emulators) aesgate::leave(2, emulators.error().message);
  aesgate::emulators = *emulators;
  const char* names = std::getenv("AESGATE_BACKENDS");
  aesgate::choose_backends(names != nullptr ? names : "");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  [[maybe_unused]] static const bool emulating = aesgate::start_emulators();
  const aesgate::Case c = aesgate::decode({data, size});
  const auto found = aesgate::find_disagreement(aesgate::backends, c);
  if (!found) aesgate::report_finding(found.error().message);
  if (*found) aesgate::report(**found);
  return 0;
}
