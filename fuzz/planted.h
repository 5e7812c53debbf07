#pragma once

#include "abi/aesgate_backend.h"

namespace aesgate {

/// A fault that a backend might have, for the tests of what must find it.
enum class Fault {
  none,
  wrong_tail,         // the last byte of a CFB128 call of 8 blocks or more that ends within a block
  wrong_later_call,   // the first byte of the third and later calls of a message
  reads_past_end,     // one byte past the input of a call of 2 blocks or more
  writes_past_end,    // the byte after the output of a call of 2 blocks or more
  takes_any_length,   // ECB and CBC do not refuse a length that is no multiple of 16
  has_no_decryption,  // no fault: decryption is unsupported
  takes_its_time,     // no fault: 2 ms of CPU time a call
  is_not_here         // no fault: probe() says that it is unavailable
};

/// A backend that is right but for one fault: an oracle, spoilt. It lives until the process ends.
[[nodiscard]] const aesgate_backend& planted(Fault fault);

}  // namespace aesgate
