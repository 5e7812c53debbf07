#pragma once

#include "abi/aesgate_backend.h"

// What libaesgate_faults.so exports beside the one function of a plugin, so that `aesgate faults` knows what it runs.

namespace aesgate::faults {

/// Fault: a backend that is wrong in one way on purpose, or ("clean-…") right in an uncommon way.
struct Fault {
  /// Its name is "fault-…" or "clean-…"; its description says in one line what is wrong.
  aesgate_backend backend;

  const char* group;   // the class, which is the file that it is in: "lengths"
  const char* report;  // where a real backend had it: "OpenSSL CVE-2022-2097"; or "a class of its own"

  /// What it takes to be caught, where quick effort cannot: "deep", lengths past 2^31; "gate", since it is slow and not
  /// wrong; "witness", since what it answers is right; "proof", since nothing speaks against its claim, and it is only
  /// not proven; "nothing", since nothing that is run here sees it; "warning: " and words of the warning that is made
  /// of it, since it is not wrong. Empty for all others.
  const char* needs;

  /// The clean backend that its speed is compared with; empty where it is not slow.
  const char* twin;
};

}  // namespace aesgate::faults

extern "C" {
/// A NULL-terminated array, in the order of aesgate_backends().
using aesgate_faults_fn = const aesgate::faults::Fault* const* (*)();
const aesgate::faults::Fault* const* aesgate_faults();
}
