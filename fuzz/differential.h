#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "abi/aesgate_backend.h"
#include "core/case.h"
#include "core/judge.h"
#include "core/result.h"

namespace aesgate {

/// What `backend` makes of a valid Case, judged by both oracles. An Error if these disagree.
[[nodiscard]] Result<Judgement> check(const aesgate_backend& backend, const Case& c);

/// The smallest Case that reduce() finds for which `backend` gets the same verdict as for `c`, `verdict`.
[[nodiscard]] Case reduce_failure(const aesgate_backend& backend, const Case& c, Verdict verdict);

/// The smallest that fails in the same way, as class_of() tells it: `judgement` is that of `c`.
[[nodiscard]] Case reduce_in_class(const aesgate_backend& backend, const Case& c, const Judgement& judgement);

/// Disagreement: one backend that failed, and the least that shows it.
struct Disagreement {
  std::string key, first;  // finding_key() of `reproducer`, and of the Case that failed
  std::string line;        // for a person: verdict, backend, shape and why, of `reproducer`
  Case reproducer;         // reduced, with the backend's name in it
};

/// Is a failure with this finding_key() to be passed over?
using IsKnown = std::function<bool(const std::string& key)>;

/// The first of `backends` that fails on a Case in a way that is not known; nothing if none does. A backend that is
/// unavailable or does not support the shape does not fail. An Error if the oracles disagree.
[[nodiscard]] Result<std::optional<Disagreement>> find_disagreement(std::span<const aesgate_backend* const> backends,
                                                                    const Case& c, const IsKnown& is_known = {});

/// The same where the Case was seen to fail already, with `judgement`.
[[nodiscard]] Disagreement disagreement(const aesgate_backend& backend, const Case& c, const Judgement& judgement);

}  // namespace aesgate
