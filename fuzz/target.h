#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// What libFuzzer and a target call of each other (llvm.org/docs/LibFuzzer.html). A target defines
// LLVMFuzzerTestOneInput() and may define LLVMFuzzerInitialize(); replay_main.cpp calls them where there is no
// libFuzzer.
extern "C" {
int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
}

namespace aesgate {

/// Ends a target with a finding: one line, and abort(), which libFuzzer takes as a crash.
[[noreturn]] void report_finding(std::string_view line);

}  // namespace aesgate
