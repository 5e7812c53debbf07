// Fuzz target: one Case, judged by both oracles, on two of the backends that are available here; which they are depends
// on the input, and each gets as many inputs (choose.h).
//
// AESGATE_BACKENDS="aesni,ttable" runs every input on these, and "all" on every backend that is available here;
// AESGATE_EMULATE="padlock" has what is not here emulated. A failure is one line, and a reduced .case file beside
// libFuzzer's own (-artifact_prefix), for `aesgate replay`.

#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/case_text.h"
#include "core/cpu_mask.h"
#include "core/registry.h"
#include "core/text_file.h"
#include "emulator/emulator.h"
#include "fuzz/case_codec.h"
#include "fuzz/choose.h"
#include "fuzz/differential.h"
#include "fuzz/target.h"

namespace aesgate {
namespace {

std::vector<const aesgate_backend*> backends;

/// How many of `backends` an input runs on. What an execution takes is the oracles' time and that much for each.
std::size_t backends_per_input = 2;

std::string artifact_prefix = "./";  // libFuzzer's default

/// Not by exit(), which libFuzzer takes for a finding once it has begun.
[[noreturn]] void leave(int exit_status, const std::string& line) {
  fmt::print(stderr, "{}\n", line);
  std::fflush(nullptr);
  std::_Exit(exit_status);
}

void name_backends(std::string_view names) {
  if (!names.empty()) backends_per_input = std::numeric_limits<std::size_t>::max();
  if (names.empty() || names == "all") {
    for (const aesgate_backend* backend : built_in_backends())
      if (why_unavailable(*backend).empty()) backends.push_back(backend);
  } else {
    for (const std::string_view spec : split(names, ',')) {
      const auto backend = find_backend(spec);
      if (!backend) leave(2, fmt::format("AESGATE_BACKENDS: {}", backend.error().message));
      if (const std::string why = why_unavailable(**backend); !why.empty())
        leave(3, fmt::format("AESGATE_BACKENDS: {} is unavailable: {}", spec, why));
      backends.push_back(*backend);
    }
  }
  if (backends.empty()) leave(3, "no backend is available here: `aesgate list` says why");
}

/// What has to wait for the first input: libFuzzer installs its handlers of signals between LLVMFuzzerInitialize() and
/// that, but only where nobody has. Ours must come after them and hand on to them, since they write the crash file; a
/// backend that is probed installs ours, and an emulator its own.
bool begin() {
  if (const auto started = emulator::install_from_environment(); !started) leave(2, started.error().message);
  const char* names = std::getenv("AESGATE_BACKENDS");
  name_backends(names != nullptr ? names : "");
  return true;
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
  if (const auto started = aesgate::start_with_cpu_mask(*argv); !started) aesgate::leave(2, started.error().message);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  [[maybe_unused]] static const bool begun = aesgate::begin();
  const aesgate::Case c = aesgate::decode({data, size});
  const auto chosen = aesgate::choose_backends({data, size}, aesgate::backends, aesgate::backends_per_input);
  const auto found = aesgate::find_disagreement(chosen, c);
  if (!found) aesgate::report_finding(found.error().message);
  if (*found) aesgate::report(**found);
  return 0;
}
