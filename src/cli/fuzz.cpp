#include "cli/run.h"

namespace aesgate {

void add_fuzz(CLI::App& app, Action& action) {
  add_run_command(app, action, "fuzz", "A bounded number of random cases, against two independent oracles",
                  {&fuzz_stage()});
}

}  // namespace aesgate
