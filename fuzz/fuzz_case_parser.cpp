// Fuzz target: the text form of a Case. What parses is a valid Case, whose own text parses again and stays the same.

#include "core/case_text.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using aesgate::report_finding;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto c = aesgate::parse_case(text, "fuzz.case");
  if (!c) {
    // "Every failure a user can meet is one clear line", and it names the file.
    const std::string& message = c.error().message;
    if (!message.starts_with("fuzz.case:")) report_finding("an error without the file's name: " + message);
    if (message.find('\n') != std::string::npos) report_finding("an error of more than one line: " + message);
    return 0;
  }
  if (const auto valid = c->validate(); !valid) report_finding("parsed, but not valid: " + valid.error().message);
  const std::string once = to_text(*c);
  const auto again = aesgate::parse_case(once, "once.case");
  if (!again) report_finding("its text does not parse: " + again.error().message + "\n" + once);
  if (const std::string twice = to_text(*again); twice != once)
    report_finding("its text changes when it is read and written again:\n" + once + "becomes\n" + twice);
  return 0;
}
