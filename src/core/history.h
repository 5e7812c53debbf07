#pragma once

#include <cstdint>
#include <span>

#include "core/calls.h"
#include "core/case.h"
#include "core/session.h"

namespace aesgate {

/// Takes a context's memory through what Conditions::memory says, before the message of the Case. `session` is the one
/// of that message, in this memory; where it is to be restarted, and only then, it is left started. False if that ended
/// the Outcome of `calls`.
[[nodiscard]] bool live_through(Calls& calls, const aesgate_backend& backend, const Case& c,
                                std::span<std::uint8_t> memory, Session& session);

}  // namespace aesgate
