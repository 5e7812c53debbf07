#include "cli/run.h"

namespace aesgate {

void add_kat(CLI::App& app, Action& action) {
  add_run_command(app, action, "kat", "Known answers: NIST's CAVP files, FIPS-197, SP 800-38A and Monte Carlo tests",
                  "  aesgate kat --mode CBC,OFB --key-bits 256\n"
                  "  aesgate kat --backend sbox --vectors my-vectors    .rsp files of your own\n",
                  {&kat_stage()});
}

}  // namespace aesgate
