#include "core/acceptance.h"

#include <array>

#include "core/session.h"
#include "core/text_file.h"

namespace aesgate {
namespace {

/// A later interface may give flags a meaning, which a backend of this one would then not have.
bool refuses_flags(Calls& calls, const aesgate_backend& backend, const Shape& shape) {
  aesgate_shape flagged = shape.abi();
  flagged.flags = 1;
  bool taken = false;
  auto ask = [&] { taken = backend.update_for(&backend, &flagged) != nullptr; };
  if (!calls.make(ask)) return false;
  if (!taken) return true;
  calls.outcome().status = Status::failed;
  calls.outcome().reason = "it takes a shape with flags = 1, and must not take what it does not know";
  return false;
}

}  // namespace

bool accepts(Calls& calls, const aesgate_backend& backend, const Shape& shape) {
  Outcome& outcome = calls.outcome();
  outcome.call = "probe()";
  std::array<char, 512> reason{};
  int status = AESGATE_OK;
  auto probe = [&] { status = backend.probe(&backend, reason.data(), reason.size()); };
  if (!calls.make(probe)) return false;
  if (status != AESGATE_OK) {
    outcome.status = Status{status};
    outcome.reason = said(reason);
    return false;
  }
  outcome.call = "update_for()";
  bool supported = false;
  auto ask = [&] { supported = Session::supports(backend, shape); };
  if (!calls.make(ask)) return false;
  if (!supported) outcome.status = Status::unsupported;
  outcome.accepted = supported;
  return supported && refuses_flags(calls, backend, shape);
}

}  // namespace aesgate
