#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "core/case.h"
#include "core/guarded_buffer.h"

namespace aesgate {

/// Arena: the buffers of one thread's Cases.
struct Arena {
  GuardedBuffer input, output, key, iv, context, chaining_value;

  struct Named {
    const char* name;
    GuardedBuffer& buffer;
  };
  std::array<Named, 6> all() {
    return {{{"input", input},
             {"output", output},
             {"key", key},
             {"IV", iv},
             {"context", context},
             {"chaining value", chaining_value}}};
  }

  /// "at byte 18 of the input", "2 bytes past the end of the output"; empty for an address that is in none of them.
  [[nodiscard]] std::string place_of(const void* address);
};

/// This thread's, for a Case with so many bytes of input. Large Cases have one of their own: all of an arena is looked
/// through after each Case, and a small one should not pay for a large one before it.
[[nodiscard]] Arena& this_threads_arena(std::size_t input_bytes);

}  // namespace aesgate
