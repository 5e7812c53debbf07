#pragma once

#include "core/calls.h"
#include "core/shape.h"

namespace aesgate {

/// Asks a backend by probe() and update_for() whether it does `shape`, here. If not, that ends the Outcome of `calls`;
/// if so, outcome.accepted says it.
[[nodiscard]] bool accepts(Calls& calls, const aesgate_backend& backend, const Shape& shape);

}  // namespace aesgate
