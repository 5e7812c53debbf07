#include "core/acceptance.h"

#include <array>

#include "core/session.h"

namespace aesgate {

bool accepts(Calls& calls, const aesgate_backend& backend, const Shape& shape) {
  Outcome& outcome = calls.outcome();
  outcome.call = "probe()";
  std::array<char, 512> reason{};
  int status = AESGATE_OK;
  auto probe = [&] { status = backend.probe(&backend, reason.data(), reason.size()); };
  if (!calls.make(probe)) return false;
  reason.back() = '\0';
  if (status != AESGATE_OK) {
    outcome.status = Status{status};
    outcome.reason = reason.data();
    return false;
  }
  outcome.call = "update_for()";
  bool supported = false;
  auto ask = [&] { supported = Session::supports(backend, shape); };
  if (!calls.make(ask)) return false;
  if (!supported) outcome.status = Status::unsupported;
  outcome.accepted = supported;
  return supported;
}

}  // namespace aesgate
