#include "cli/run.h"

namespace aesgate {

void add_props(CLI::App& app, Action& action) {
  add_run_command(app, action, "props", "Laws that hold for every key and message, such as: decrypt inverts encrypt",
                  "  aesgate props --backend ttable --mode CFB8\n"
                  "  aesgate props --seed random --effort deep    other messages than last time, and many\n",
                  {&props_stage()});
}

}  // namespace aesgate
