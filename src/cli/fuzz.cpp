#include "cli/run.h"

namespace aesgate {

void add_fuzz(CLI::App& app, Action& action) {
  add_run_command(app, action, "fuzz", "A bounded number of random cases, against two independent oracles",
                  "  aesgate fuzz --backend sbox --seed 7\n"
                  "  aesgate fuzz --seed random --effort deep --cases found    failures go to the folder found\n",
                  {&fuzz_stage()});
}

}  // namespace aesgate
