#pragma once

#include <cstdint>

#include "core/bytes.h"

namespace aesgate {

/// How messages pass a socket: four bytes that say how long, and then the message.
namespace channel {

/// No message is longer: a Case of the longest Monte Carlo loop gives 16 MB.
inline constexpr std::size_t longest = std::size_t{64} << 20;

/// False when the other end is gone, or the message is too long.
[[nodiscard]] bool send(int socket, ByteView message);

/// Waits for the next message however long it takes.
enum class Received : std::uint8_t {
  message,
  end,       // the other end is gone
  nonsense,  // what came is no message, and nothing after it can be read
};
[[nodiscard]] Received receive(int socket, Bytes& message);

}  // namespace channel
}  // namespace aesgate
