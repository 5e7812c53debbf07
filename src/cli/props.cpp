#include "cli/run.h"

namespace aesgate {

void add_props(CLI::App& app, Action& action) {
  add_run_command(app, action, "props", "Laws that hold for every key and message, such as: decrypt inverts encrypt",
                  {&props_stage()});
}

}  // namespace aesgate
