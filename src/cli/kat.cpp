#include "cli/run.h"

namespace aesgate {

void add_kat(CLI::App& app, Action& action) {
  add_run_command(app, action, "kat", "Known answers: NIST's CAVP files, FIPS-197, SP 800-38A and Monte Carlo tests",
                  {&kat_stage()});
}

}  // namespace aesgate
