#pragma once

#include "abi/aesgate_backend.h"
#include "modes/parallel.h"

namespace aesgate {

/// ECB, SP 800-38A section 6.1.
template <typename Engine, unsigned Rounds, bool Decrypt>
struct Ecb {
  using Keys = typename Engine::template Keys<Rounds>;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    if (length % 16 != 0) return AESGATE_BAD_ARGUMENT;
    const Keys& keys = static_cast<const Context<Keys>*>(context)->keys;
    in_parallel<Engine>(
        length / 16, [&]<typename Width, unsigned N>(std::size_t at, unsigned count)
                         __attribute__((always_inline)) { step<Width, N>(keys, in, out, at, count); });
    return AESGATE_OK;
  }

 private:
  template <typename Width, unsigned N>
  [[gnu::always_inline]] static void step(const Keys& keys, const std::uint8_t* in, std::uint8_t* out, std::size_t at,
                                          unsigned count) {
    constexpr std::size_t vector_bytes = 16 * Width::lanes;
    in += 16 * at;
    out += 16 * at;
    typename Width::Vector x[N];
    begin_step<Width, N>(keys, x, count, [&](unsigned i) { return Width::load(in + i * vector_bytes); });
    const auto operand = [&](unsigned) { return Width::last_key(keys); };
    if constexpr (Decrypt)
      Width::decrypt(keys, x, operand);
    else
      Width::encrypt(keys, x, operand);
    end_step<Width, N>(x, count, [&](unsigned i, auto v) { Width::store(out + i * vector_bytes, v); });
  }
};

}  // namespace aesgate
