#include "fuzz/stream.h"

#include <algorithm>

namespace aesgate {
namespace {

using enum StreamCall::Kind;

constexpr std::size_t call_bytes = 4;

/// By the three bits of a call: contexts that are seldom updated show little.
constexpr std::array<StreamCall::Kind, 8> kinds{start,  restart,        update, update,
                                                update, chaining_value, finish, refused};

}  // namespace

std::vector<StreamCall> decode_stream(ByteView bytes) {
  std::vector<StreamCall> calls;
  const std::size_t count = std::min(bytes.size() / call_bytes, most_stream_calls);
  calls.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const ByteView call = bytes.subspan(i * call_bytes, call_bytes);
    const unsigned head = call[0];
    calls.push_back({kinds[head & 7], static_cast<std::uint8_t>(head >> 3 & 3), (head >> 5 & 1) != 0,
                     (head >> 6 & 1) != 0, (head >> 7 & 1) != 0, call[1],
                     static_cast<std::uint16_t>(call[2] | call[3] << 8)});
  }
  return calls;
}

Bytes encode_stream(const std::vector<StreamCall>& calls) {
  Bytes bytes;
  bytes.reserve(calls.size() * call_bytes);
  for (const StreamCall& call : calls) {
    const auto kind = static_cast<unsigned>(std::ranges::find(kinds, call.kind) - kinds.begin());
    const unsigned head = kind | unsigned{call.context} << 3 | unsigned{call.in_place} << 5 |
                          unsigned{call.input_at_end} << 6 | unsigned{call.output_at_end} << 7;
    for (const unsigned byte : {head, unsigned{call.detail}, unsigned{call.number} & 0xff, unsigned{call.number} >> 8})
      bytes.push_back(static_cast<std::uint8_t>(byte));
  }
  return bytes;
}

}  // namespace aesgate
