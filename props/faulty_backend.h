#pragma once

#include <string_view>

#include "abi/aesgate_backend.h"

namespace aesgate::props {

/// What is wrong with a backend of the tests.
enum class Fault {
  none,
  key_bit_ignored,        // another key's cipher: consistent in all ways, and still not AES with this key
  encrypt_last_byte,      // the last byte of every call that encrypts
  carry_lost,             // every call of update() starts from the IV
  in_place,               // the first byte, when in is out
  looks_ahead,            // the first byte, when a call takes more than a block
  key_comes_back,         // the first byte of a message under the key of the last but one, not of the last
  chaining_value,         // one bit of it
  chaining_value_inside,  // it is told in the middle of a block too
  block_number,           // each block depends on its place in the call
  input_byte_ignored,     // the last byte of each block
  neighbour_leaks,        // each byte depends on the byte of the input before it
  decrypt_first_byte,     // the first byte of every call that decrypts
  iv_bit_ignored,         // the last bit
  takes_any_length,       // a length that is no multiple of 16 is cut, not refused
  writes_past_the_end,    // a byte after the output
  crashes,                // a null pointer is read in update()
  no_decrypt,             // decrypting shapes are unsupported: no fault, but the laws must say so
  no_chaining_value,      // not told: no fault either
  unavailable,            // probe() says so
  goes_away,              // probe() says so every 40th time
  takes_its_time          // 10 ms of CPU time a call, and right: no fault
};
[[nodiscard]] std::string_view name(Fault fault);

/// A right backend, all shapes, with that fault. Valid until the program ends.
[[nodiscard]] const aesgate_backend& faulty_backend(Fault fault);

}  // namespace aesgate::props
