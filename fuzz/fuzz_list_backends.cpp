// fuzz_list_backends BUILD_DIR [TARGET PROGRAM]...: CTest commands that run each of these targets over its seeds on
// each backend alone. What is not here, and can be emulated, is; what is not here at all is skipped.

#include <string_view>

#include <fmt/format.h>

#include "core/registry.h"
#include "emulator/emulator.h"

int main(int argc, char** argv) {
  if (argc < 2 || argc % 2 != 0) {
    fmt::print(stderr, "usage: fuzz_list_backends BUILD_DIR [TARGET PROGRAM]...\n");
    return 2;
  }
  for (const aesgate_backend* backend : aesgate::built_in_backends()) {
    const bool is_here = aesgate::why_unavailable(*backend).empty();
    const std::string_view emulator = is_here ? "" : aesgate::emulator::emulator_for(*backend);
    for (int i = 2; i + 1 < argc; i += 2) {
      fmt::print(
          "add_test([==[fuzz.{0}.{1}.seeds]==] [==[{2}]==] [==[-artifact_prefix={3}/]==] [==[{3}/corpus/{0}]==])\n",
          argv[i], backend->name, argv[i + 1], argv[1]);
      fmt::print(
          "set_tests_properties([==[fuzz.{0}.{1}.seeds]==] PROPERTIES LABELS \"fuzz{2}\" SKIP_RETURN_CODE 3 "
          "ENVIRONMENT \"AESGATE_BACKENDS={1}{3}\")\n",
          argv[i], backend->name, emulator.empty() ? "" : fmt::format(";emulated: {}", emulator),
          emulator.empty() ? "" : fmt::format(";AESGATE_EMULATE={}", emulator));
    }
  }
  return 0;
}
