#pragma once

#include <string>

#include "abi/aesgate_backend.h"
#include "core/case.h"
#include "core/execute.h"
#include "core/result.h"

namespace aesgate {

/// Driver: who executes Cases for a backend whose code is not called in this process. A driven backend is an
/// aesgate_backend like any other to all who list it, plan with it or execute() Cases on it; but no Session can be
/// made of it: start() refuses.
class Driver {
 public:
  virtual ~Driver() = default;

  /// What execute() gives for a valid Case; from several threads at once.
  [[nodiscard]] virtual Outcome execute(const Case& c) = 0;

  /// probe()'s answer: empty if the backend can run here, else why not.
  [[nodiscard]] virtual std::string why_unavailable() const = 0;
  [[nodiscard]] virtual bool supports(const Shape& shape) const = 0;

  /// A variant of the backend, driven too and valid until the process ends.
  [[nodiscard]] virtual Result<const aesgate_backend*> configure(const std::string& options) = 0;

  /// The backend itself, brought into this process: for who must call it, to time it.
  [[nodiscard]] virtual Result<const aesgate_backend*> in_process() = 0;
};

/// What is known of a driven backend; the strings live as long as the struct made from it.
struct DrivenInfo {
  std::string name, kind, unit, description;
  bool takes_options = false;
};

/// The backend of a driver. Both must outlive it.
[[nodiscard]] aesgate_backend driven_backend(Driver& driver, const DrivenInfo& info);

/// The driver of a backend that driven_backend() made; null for others.
[[nodiscard]] Driver* driver_of(const aesgate_backend& backend);

/// What can be called in this process: `backend`, or what its driver brings in.
[[nodiscard]] Result<const aesgate_backend*> callable(const aesgate_backend& backend);

}  // namespace aesgate
