// Fuzz target: several contexts of a backend, told one call after the other (stream.h), on some of the backends
// (target_backends.h). A failure is one line, and beside libFuzzer's file a reduced .case, for `aesgate replay`; or,
// where no Case shows the same, a .stream with no call too many, for this program.

#include "core/case_text.h"
#include "core/write_file.h"
#include "fuzz/stream.h"
#include "fuzz/target.h"
#include "fuzz/target_backends.h"

namespace aesgate {
namespace {

[[noreturn]] void report(TargetBackends& backends, const StreamDisagreement& found) {
  const Bytes bytes = encode_stream(found.reduced);
  const std::string text = found.reproducer ? to_text(*found.reproducer) : std::string(bytes.begin(), bytes.end());
  const std::string backend = found.key.substr(0, found.key.find(';'));
  const std::string path = fmt::format("{}mismatch-{}-{:016x}.{}", TargetBackends::artifact_prefix(), backend,
                                       std::hash<std::string>{}(text), found.reproducer ? "case" : "stream");
  const auto written = write_file(path, text);
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
  const auto found = aesgate::find_stream_disagreement(chosen, aesgate::decode_stream({data, size}),
                                                       [&](const std::string& key) { return backends.knows(key); });
  if (!found) aesgate::report_finding(found.error().message);
  if (*found) aesgate::report(backends, **found);
  backends.done();
  return 0;
}
