#include "kat/kat.h"

#include "core/registry.h"
#include "oracle/oracle.h"
#include "report/stage_tests.h"

/// The known-answer stage under ctest: every backend and form, and both oracles held to the same.
int main(int argc, char** argv) {
  std::vector<const aesgate_backend*> backends = aesgate::built_in_backends_and_forms();
  for (const aesgate_backend* oracle : aesgate::oracles()) backends.push_back(oracle);
  return aesgate::run_stage_tests(argc, argv, "kat", aesgate::run_kat, backends);
}
