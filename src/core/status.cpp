#include "core/status.h"

#include <fmt/format.h>

namespace aesgate {

std::string name(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::unsupported: return "unsupported";
    case Status::unavailable: return "unavailable";
    case Status::bad_argument: return "bad argument";
    case Status::failed: return "failed";
  }
  return fmt::format("status {}", static_cast<int>(status));
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::agree: return "agree";
    case Verdict::mismatch: return "mismatch";
    case Verdict::unsupported: return "unsupported";
    case Verdict::unavailable: return "unavailable";
    case Verdict::failed: return "failed";
    case Verdict::crashed: return "crashed";
    case Verdict::timed_out: return "timed out";
    case Verdict::declined: return "declined";
    case Verdict::fell_back: return "fell back";
    case Verdict::unproven: return "unproven";
  }
  return "unknown verdict";
}

bool is_without_answer(Verdict verdict) {
  return verdict == Verdict::failed || verdict == Verdict::crashed || verdict == Verdict::timed_out;
}

bool is_failure(Verdict verdict) {
  switch (verdict) {
    case Verdict::mismatch:
    case Verdict::failed:
    case Verdict::crashed:
    case Verdict::timed_out:
    case Verdict::fell_back: return true;
    default: return false;
  }
}

}  // namespace aesgate
