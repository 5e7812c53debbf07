// Fuzz target: CAVP response files. The first line of the input is the file's name, which gives mode and key size;
// the rest is the file. What parses is at least one valid Case with an answer, and each lives through its text form.

#include "core/case_text.h"
#include "core/cavp_file.h"
#include "fuzz/target.h"

namespace aesgate {
namespace {

void check_case(const Case& c) {
  if (const auto valid = c.validate(); !valid) report_finding("parsed, but not valid: " + valid.error().message);
  if (!c.expected) report_finding("a vector without an answer");
  if (c.origin.empty()) report_finding("a vector without an origin");
  const std::string text = to_text(c);
  const auto again = parse_case(text, "vector.case");
  if (!again) report_finding("its text does not parse: " + again.error().message + "\n" + text);
  if (to_text(*again) != text) report_finding("its text changes when it is read and written again:\n" + text);
}

}  // namespace
}  // namespace aesgate

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line_end = input.find('\n');
  if (line_end == std::string_view::npos) return 0;
  auto reader = aesgate::TextReader::from(input.substr(line_end + 1), "fuzz.rsp");
  const auto cases = aesgate::parse_cavp(reader, std::string(input.substr(0, line_end)));
  if (!cases) {
    const std::string& message = cases.error().message;
    if (message.empty() || message.find('\n') != std::string::npos)
      aesgate::report_finding("an error is one line, and this is not: \"" + message + "\"");
    return 0;
  }
  if (cases->empty()) aesgate::report_finding("a file without a vector is an error");
  for (const aesgate::Case& c : *cases) aesgate::check_case(c);
  return 0;
}
