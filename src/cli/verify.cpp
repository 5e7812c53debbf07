#include <memory>

#include "cli/constant_time.h"
#include "cli/run.h"

namespace aesgate {

void add_verify(CLI::App& app, Action& action) {
  const RunCommand cases = add_run_command(
      app, action, "verify", "Published vectors, laws and random cases over every backend; ends in a matrix",
      "  aesgate verify                                    everything, in every backend\n"
      "  aesgate verify --backend aesni --require aesni    one backend, and 3 if it cannot run here\n"
      "  aesgate verify --effort quick --json report.json --junit report.xml\n"
      "  aesgate verify --constant-time                    what a key decides, in every backend\n",
      {&kat_stage(), &props_stage(), &fuzz_stage()});
  cases.options->witness = true;
  cases.command->add_flag(
      "--require-proof", cases.options->require_proof,
      "Exit with 3 unless what each backend claims to run on is PROVEN; see 'aesgate witness --help'");
  const auto options = std::make_shared<ConstantTimeOptions>();
  add_constant_time_options(*cases.command, *options);
  cases.command->callback([&action, cases, options] {
    action = options->wanted ? Action([cases, options] { return check_constant_time(*cases.options, *options); })
                             : cases.run;
  });
}

}  // namespace aesgate
