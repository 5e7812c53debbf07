#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "witness/backend_job.h"
#include "witness/proof.h"

namespace aesgate::witness {

/// BackendSubject: a backend, what it claims, and how a worker finds it.
struct BackendSubject {
  std::string name;    // in reports
  std::string spec;    // "NAME" or "NAME:OPTIONS"
  std::string plugin;  // its file, or empty
  std::string unit;    // its claim
  bool emulated = false;
};

/// WitnessRequest: how subjects are looked at.
struct WitnessRequest {
  std::vector<std::size_t> shapes;  // places in all_shapes()
  StepBudget budget;
  std::chrono::seconds limit{5};  // for one message; a backend that hangs is waited for twice

  /// For a close look: all of each call.
  [[nodiscard]] static StepBudget thorough() { return {1u << 21, 1u << 16, 400, 400, 512}; }

  /// For a look within a run of other checks, some tenths of a second: what has to run is looked for in all of
  /// `shapes`; that nothing runs, or what a library chooses, in some of each mode, and in the others as far as the
  /// budget goes if the backend is a plugin.
  [[nodiscard]] static WitnessRequest quick(const BackendSubject& subject, const std::vector<std::size_t>& shapes);
};

/// BackendWitness: what was found out about a subject.
struct BackendWitness {
  BackendSubject subject;
  BackendProof conclusion;
  std::vector<ShapeEvidence> evidence;   // of the shapes that it does, as far as they were seen
  std::vector<ShapeProof> shapes;        // of those, in the same order; and of those that ended the worker
  std::vector<std::size_t> unsupported;  // shapes that it does not do
  std::string served_by;                 // of a kernel's backend: the driver, in the kernel's words
  std::vector<std::string> interrupts;   // that came meanwhile from what does cryptography
  double seconds = 0;
};

/// Starts workers, which are this program again (backend_worker.h), and judges what they say. A backend that crashes or
/// hangs ends its worker, and no more than two are started after the first. From several threads at once; throws
/// std::system_error if there can be no worker.
[[nodiscard]] BackendWitness witness_backend(const BackendSubject& subject, const WitnessRequest& request);

}  // namespace aesgate::witness
