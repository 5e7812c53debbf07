#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/bytes.h"

namespace aesgate {

/// The `count` of `backends` that an input runs on, in no particular order; all if there are no more. The input's bytes
/// and the backends' names decide, by rendezvous hashing (Thaler and Ravishankar, 1998): over many inputs each backend
/// gets the same share; the same input gets the same backends in every run and on every machine; and a backend that is
/// chosen among many is chosen among any fewer of them, too, so that a finding can be replayed where others are
/// missing.
[[nodiscard]] std::vector<const aesgate_backend*> choose_backends(ByteView input,
                                                                  std::span<const aesgate_backend* const> backends,
                                                                  std::size_t count);

}  // namespace aesgate
