#include "cli/command_line.h"
#include "isolation/worker.h"

int main(int argc, char** argv) {
  aesgate::work_if_worker(argc, argv);
  return aesgate::run_command_line(argc, argv);
}
