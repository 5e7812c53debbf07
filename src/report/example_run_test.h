#pragma once

#include "report/summary.h"

namespace aesgate {

/// A Summary and Record of a made-up run, for the tests of the reports: "alpha" agrees in all, "beta" has a mismatch in
/// CBC and no 192-bit keys, "gamma" is not available.
class ExampleRun {
 public:
  ExampleRun();
  ~ExampleRun();
  ExampleRun(const ExampleRun&) = delete;
  ExampleRun& operator=(const ExampleRun&) = delete;

  static constexpr const char* why_gamma = "CPUID.7.ECX[9] VAES is not set & <never> was";

  const aesgate_backend alpha = named("alpha"), beta = named("beta"), gamma = named("gamma");
  std::filesystem::path folder;
  Summary summary;
  Record record;

 private:
  static aesgate_backend named(const char* name);
};

}  // namespace aesgate
