#pragma once

#include "abi/aesgate_backend.h"
#include "modes/serial.h"

namespace aesgate {

/// OFB, SP 800-38A section 6.4: serial, and the same in both directions. A call may end in the middle of a block and
/// the next one goes on there.
template <typename Engine, unsigned Rounds>
struct Ofb {
  using Keys = typename Engine::template Keys<Rounds>;
  using Single = typename Engine::Single;
  using Vector = typename Single::Vector;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    auto& [head, keys] = *static_cast<Context<Keys>*>(context);
    if (head.used != 0) {
      const std::size_t taken = part(head, in, out, length);
      in += taken;
      out += taken;
      length -= taken;
    }
    const std::size_t whole = length / 16 * 16;
    if (whole != 0) blocks(keys, head.chain, in, out, whole);
    if (length != whole) {
      encrypt_whitened<Single>(keys, head.chain);
      part(head, in + whole, out + whole, length - whole);
    }
    return AESGATE_OK;
  }

 private:
  /// The bytes of the block in head.chain from head.used on, `length` at most. Returns how many it took.
  static std::size_t part(ContextHead& head, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    const std::size_t room = 16 - head.used;
    const std::size_t count = length < room ? length : room;
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(in[i] ^ head.chain[head.used + i]);
    head.used = static_cast<std::uint32_t>((head.used + count) % 16);
    if (head.used == 0) whiten_chain<Engine>(head);
    return count;
  }

  [[gnu::always_inline]] static void blocks(const Keys& keys, std::uint8_t* chain, const std::uint8_t* in,
                                            std::uint8_t* out, std::size_t length) {
    const Vector first = Single::first_key(keys);
    const Vector both = Single::exclusive_or(first, Single::last_key(keys));
    Vector state = Single::load(chain);
    for (; length != 0; length -= 16, in += 16, out += 16) {
      // The next state is keystream ^ first key.
      const Vector added = Single::exclusive_or(Single::load(in), first);
      state = encrypt_one<Single>(keys, state, both);
      Single::store(out, Single::exclusive_or(state, added));
    }
    Single::store(chain, state);
  }
};

}  // namespace aesgate
