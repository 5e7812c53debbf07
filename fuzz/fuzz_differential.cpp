// Fuzz target: one Case, judged by both oracles, on some of the backends (target_backends.h). A failure is one line,
// and a reduced .case file beside libFuzzer's own (-artifact_prefix), for `aesgate replay`.

#include "core/case_text.h"
#include "fuzz/case_codec.h"
#include "fuzz/differential.h"
#include "fuzz/target.h"
#include "fuzz/target_backends.h"

namespace aesgate {
namespace {

[[noreturn]] void report(TargetBackends& backends, const Disagreement& found) {
  const std::string text = to_text(found.reproducer);
  const std::string path = fmt::format("{}mismatch-{}-{:016x}.case", TargetBackends::artifact_prefix(),
                                       found.reproducer.backend, std::hash<std::string>{}(text));
  const auto written = write_case(path, found.reproducer);
  const std::string line = written ? found.line : fmt::format("{}; {}", found.line, written.error().message);
  backends.report({found.key, found.first, line, written ? path : ""});
}

}  // namespace
}  // namespace aesgate

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  aesgate::TargetBackends::initialize(*argc, *argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto& backends = aesgate::TargetBackends::get();
  const auto chosen = backends.choose({data, size});
  const aesgate::Case c = aesgate::decode({data, size});
  const auto found = aesgate::find_disagreement(chosen, c, [&](const std::string& key) { return backends.knows(key); });
  if (!found) aesgate::report_finding(found.error().message);
  if (*found) aesgate::report(backends, **found);
  backends.done();
  return 0;
}
