#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "witness/backend_call.h"

namespace aesgate::witness {

/// BackendJob: what a worker, a process of this program, is asked to look at.
struct BackendJob {
  int parent = 0;                   // the process that waits for it: it dies with that one
  std::string plugin;               // the file, or empty: a backend built in
  std::string backend;              // "NAME" or "NAME:OPTIONS"
  std::vector<std::size_t> shapes;  // places in all_shapes()
  StepBudget budget;
  std::chrono::seconds limit{5};  // for one message
};

/// BackendAnswer: all that a worker said, as far as it came.
struct BackendAnswer {
  std::string unavailable;               // why the backend cannot run there, in words
  std::string failed;                    // why the worker could not do its job
  std::string remark;                    // what probe() says of a backend that can run: what serves it
  std::vector<std::size_t> unsupported;  // shapes that the backend does not do
  std::vector<ShapeEvidence> shapes;
  std::vector<std::string> interrupts;  // that came meanwhile from what does cryptography: "caam_jr0: 12"
  bool complete = false;                // it came to its end
};

[[nodiscard]] std::string to_text(const BackendJob& job);
[[nodiscard]] Result<BackendJob> parse_backend_job(std::string_view text);

// An answer is written as it grows, a line each, so that a worker that crashes has said how far it came.
[[nodiscard]] std::string backend_line(std::string_view key, std::string_view text);
[[nodiscard]] std::string unsupported_line(std::size_t shape);
[[nodiscard]] std::string evidence_line(const ShapeEvidence& evidence);
[[nodiscard]] std::string end_line();

/// Lines that a backend printed in between are not looked at.
[[nodiscard]] BackendAnswer parse_backend_answer(std::string_view text);

}  // namespace aesgate::witness
