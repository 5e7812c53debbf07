#include "core/registry.h"
#include "fuzz/fuzz.h"
#include "report/stage_tests.h"

int main(int argc, char** argv) {
  return aesgate::run_stage_tests(argc, argv, "fuzz", aesgate::run_fuzz, aesgate::built_in_backends_and_forms());
}
