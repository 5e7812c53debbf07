#include <cstdio>

#include <unistd.h>

#include "cli/command_line.h"
#include "core/plugin.h"
#include "core/trap.h"
#include "isolation/worker.h"
#include "perf/gate_process.h"
#include "props/constant_time/worker.h"
#include "witness/backend_worker.h"

int main(int argc, char** argv) {
  aesgate::work_if_worker(argc, argv);
  aesgate::constant_time::work_if_worker(argc, argv);
  aesgate::witness::work_if_witness(argc, argv);
  aesgate::measure_if_launch(argc, argv);
  aesgate::await_the_end();
  const int status = aesgate::run_command_line(argc, argv);
  aesgate::the_end_has_come();
  if (!aesgate::plugin_is_loaded_here()) return status;
  // What a plugin registered for the end of the process could end it with another status.
  std::fflush(nullptr);
  _exit(status);
}
