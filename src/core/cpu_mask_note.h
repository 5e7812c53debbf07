#pragma once

#include <string>

#include "abi/aesgate_backend.h"

namespace aesgate {

/// What the mask of this process is to a backend that runs code which is not aesgate's, for a person:
/// "told by OPENSSL_ia32cap=~0x…", or that it cannot be told. Empty if nothing is hidden, or if `backend` asks
/// core/cpu.h.
[[nodiscard]] std::string note_on_cpu_mask(const aesgate_backend& backend);

}  // namespace aesgate
