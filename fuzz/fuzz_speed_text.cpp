// Fuzz target: saved outputs of benchmarks. Whatever the bytes are, they are read or refused with one line, and what is
// read is explained: each report has its lists, the JSON can be written, and no figure in it is infinite.

#include <cmath>

#include <nlohmann/json.hpp>

#include "explain/explain_report.h"
#include "explain/read.h"
#include "fuzz/target.h"

namespace aesgate::explain {
namespace {

void check(const Reading& reading) {
  for (const SpeedRun& run : reading.runs)
    for (std::size_t i = 1; i < run.samples.size(); ++i)
      if (run.samples[i - 1].bytes >= run.samples[i].bytes) report_finding("sizes of a run are not in order");
  const Explanation explanation = explain(reading);
  for (const Subject& subject : explanation.subjects)
    if (subject.line && !(std::isfinite(subject.line->setup) && std::isfinite(subject.line->per_byte)))
      report_finding("a line through the times is not finite");
  for (const Conclusion& conclusion : explanation.conclusions)
    if (conclusion.text.empty() || conclusion.kind.empty()) report_finding("a conclusion says nothing");
  const std::string text = to_text(explanation);
  if (text.find("Run next\n") == std::string::npos) report_finding("a report without its end");
  if (text.find('\x1b') != std::string::npos) report_finding("a report that controls the terminal");
  if (to_json(explanation).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).empty())
    report_finding("no JSON");
}

}  // namespace
}  // namespace aesgate::explain

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  aesgate::explain::Reading reading;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto read = aesgate::explain::read_text(text, "fuzz.txt", reading); !read) {
    const std::string& message = read.error().message;
    if (message.empty() || message.find('\n') != std::string::npos)
      aesgate::report_finding("an error is one line, and this is not: \"" + message + "\"");
    return 0;
  }
  aesgate::explain::check(reading);
  return 0;
}
