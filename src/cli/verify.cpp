#include "cli/run.h"

namespace aesgate {

void add_verify(CLI::App& app, Action& action) {
  add_run_command(app, action, "verify",
                  "Published vectors, laws and random cases over every backend; ends in a matrix",
                  {&kat_stage(), &props_stage(), &fuzz_stage()});
}

}  // namespace aesgate
