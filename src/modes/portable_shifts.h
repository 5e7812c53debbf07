#pragma once

#include "modes/engine.h"

namespace aesgate {

/// What a Width with one lane needs for the modes with a shift register, bytewise, from its load() and store().
template <typename Width, typename Block>
struct PortableShifts {
  static Block load_after(const std::uint8_t* before, const std::uint8_t*) { return Width::load(before); }
  static Block load_windows(const std::uint8_t* p) { return Width::load(p); }

  static Block from_byte(std::uint8_t b) {
    const std::uint8_t bytes[16] = {b};
    return Width::load(bytes);
  }

  static std::uint8_t to_byte(const Block& x) {
    std::uint8_t bytes[16];
    Width::store(bytes, x);
    return bytes[0];
  }

  static Block append_byte(const Block& r, const Block& t) {
    std::uint8_t bytes[17];
    Width::store(bytes, r);
    bytes[16] = to_byte(t);
    return Width::load(bytes + 1);
  }

  static Block append_bit(const Block& r, const Block& t) {
    std::uint8_t bytes[17];
    Width::store(bytes, r);
    bytes[16] = to_byte(t);
    for (unsigned i = 0; i < 16; ++i) bytes[i] = static_cast<std::uint8_t>(bytes[i] << 1 | bytes[i + 1] >> 7);
    return Width::load(bytes);
  }
};

}  // namespace aesgate
