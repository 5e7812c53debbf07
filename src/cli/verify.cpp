#include "cli/run.h"

namespace aesgate {

void add_verify(CLI::App& app, Action& action) {
  add_run_command(app, action, "verify",
                  "Published vectors, laws and random cases over every backend; ends in a matrix",
                  "  aesgate verify                                    everything, in every backend\n"
                  "  aesgate verify --backend aesni --require aesni    one backend, and 3 if it cannot run here\n"
                  "  aesgate verify --effort quick --json report.json --junit report.xml\n",
                  {&kat_stage(), &props_stage(), &fuzz_stage()});
}

}  // namespace aesgate
