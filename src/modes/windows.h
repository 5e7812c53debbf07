#pragma once

#include "modes/parallel.h"

namespace aesgate {

// In CFB1 and CFB8 decryption the shift register is a window of IV and ciphertext, so all windows can be encrypted in
// parallel; of each result only the first byte or bit is used.

/// The first byte of every block of a vector: consume(lane, byte).
template <typename Width, typename Consume>
[[gnu::always_inline]] inline void first_bytes(typename Width::Vector x, Consume consume) {
  if constexpr (requires { Width::to_byte(x); }) {
    consume(0u, Width::to_byte(x));
  } else {
    alignas(64) std::uint8_t blocks[16 * Width::lanes];
    Width::store(blocks, x);
    each<Width::lanes>([&](unsigned lane) __attribute__((always_inline)) { consume(lane, blocks[16 * lane]); });
  }
}

/// consume(i, first byte of the cipher of the 16 bytes at text + i) for the `count` values of i.
template <typename Engine, typename Keys, typename Consume>
[[gnu::always_inline]] inline void encrypt_windows(const Keys& keys, const std::uint8_t* text, std::size_t count,
                                                   Consume consume) {
  in_parallel<Engine>(
      count, [&]<typename Width, unsigned N>(std::size_t at, unsigned windows) __attribute__((always_inline)) {
        typename Width::Vector x[N];
        begin_step<Width, N>(keys, x, windows,
                             [&](unsigned i) { return Width::load_windows(text + at + i * Width::lanes); });
        const auto last = Width::last_key(keys);
        Width::encrypt(
            keys, x, [&](unsigned) __attribute__((always_inline)) { return last; });
        end_step<Width, N>(
            x, windows, [&](unsigned i, auto v) __attribute__((always_inline)) {
              first_bytes<Width>(
                  v, [&](unsigned lane, std::uint8_t byte)
                         __attribute__((always_inline)) { consume(at + i * Width::lanes + lane, byte); });
            });
      });
}

}  // namespace aesgate
