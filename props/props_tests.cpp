#include "props.h"

#include "core/registry.h"
#include "report/stage_tests.h"

int main(int argc, char** argv) {
  return aesgate::run_stage_tests(argc, argv, "props", aesgate::run_props, aesgate::built_in_backends_and_forms());
}
