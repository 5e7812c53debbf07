// Fuzz target: the JSON of ACVP vector sets, as a prompt and as expected results. An error is one line that names the
// file. What is accepted as a prompt is a set of valid Cases, as many as it said and the same when it is read again.

#include "core/case_text.h"
#include "fuzz/target.h"
#include "kat/acvp_expected.h"
#include "kat/acvp_prompt.h"

namespace aesgate::acvp {
namespace {

void check_line(const Error& error) {
  const std::string& line = error.message;
  if (!line.starts_with("fuzz.json: ")) report_finding("an error without the file's name: " + line);
  if (line.find('\n') != std::string::npos || line.size() > 2000)
    report_finding("an error is one line, and this is not: \"" + line + "\"");
}

/// Counts what a prompt gives, and keeps its text.
class Counter : public PromptSink {
 public:
  bool begin_set(const SetHead& set) override { return head = set, true; }
  bool begin_group(const GroupHead& /*group*/) override { return ++groups, true; }
  bool test(const GroupHead& group, Test test) override {
    if (const auto valid = test.c.validate(); !valid)
      report_finding(fmt::format("test {} is not valid: {}", test.tc_id, valid.error().message));
    if (test.c.shape.direction != group.direction || test.c.shape.key_size != group.key_size)
      report_finding(fmt::format("test {} has not its group's shape", test.tc_id));
    ++(group.monte_carlo ? monte_carlo_tests : functional_tests);
    text += fmt::format("{}\n{}", test.tc_id, to_text(test.c));
    return true;
  }
  bool end_group() override { return true; }
  bool end_set() override { return true; }

  SetHead head;
  std::uint64_t groups = 0, functional_tests = 0, monte_carlo_tests = 0;
  std::string text;
};

void check(std::string_view json) {
  const auto source = Source::from(json, "fuzz.json");
  const auto prompt = Prompt::check(*source);
  SetHead head;
  if (prompt) {
    Counter once, twice;
    for (Counter* counter : {&once, &twice}) {
      const auto ran = prompt->run(*source, *counter);
      if (!ran) report_finding("accepted, and then refused: " + ran.error().message);
      if (!*ran) report_finding("a run that nobody ended did not come to its end");
    }
    if (once.groups != prompt->groups() || once.functional_tests != prompt->functional_tests() ||
        once.monte_carlo_tests != prompt->monte_carlo_tests() || once.head != prompt->head())
      report_finding("the prompt does not have what it was found to have");
    if (once.text != twice.text) report_finding("its tests change when they are read again");
    for (const std::string& note : prompt->unread().notes("fuzz.json")) check_line({note});
    head = prompt->head();
  } else {
    check_line(prompt.error());
  }
  if (const auto rewound = source->rewind(); !rewound) report_finding(rewound.error().message);
  if (const auto expected = ExpectedFile::check(*source, head); !expected) check_line(expected.error());
}

}  // namespace
}  // namespace aesgate::acvp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  aesgate::acvp::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
