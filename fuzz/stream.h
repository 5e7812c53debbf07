#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/case.h"
#include "core/judge.h"
#include "core/result.h"
#include "fuzz/differential.h"

namespace aesgate {

/// StreamCall: one call of a stream: several contexts of one backend, told one thing after the other. Any calls make a
/// valid stream: what the interface would not allow, such as update() of a context that is not started, is left out.
struct StreamCall {
  enum class Kind : std::uint8_t {
    start,    // a new message; of another shape, a new context in the same memory
    restart,  // a new message under the same key
    update,   // `length` units, as far as the mode takes them
    chaining_value,
    finish,
    refused  // update() with a length that ECB and CBC refuse; elsewhere of length 0, with null pointers
  };
  Kind kind = Kind::start;
  std::uint8_t context = 0;  // below stream_contexts
  bool in_place = false;
  bool input_at_end = false, output_at_end = false;  // of their memory: Spot::Edge
  std::uint8_t detail = 0;   // start, restart: what key and IV are made from; else the distances of input and output
  std::uint16_t number = 0;  // start: the shape, modulo shape_count; update and refused: the length
};

inline constexpr std::size_t stream_contexts = 4;
inline constexpr std::size_t most_stream_calls = 64;

/// Four bytes a call: kind (three bits, more updates than all else), context (two) and a bit for each flag; detail;
/// number, little-endian. What lies past most_stream_calls, or is less than a call, is ignored.
[[nodiscard]] std::vector<StreamCall> decode_stream(ByteView bytes);
[[nodiscard]] Bytes encode_stream(const std::vector<StreamCall>& calls);

/// The longest update() of a stream, in units.
[[nodiscard]] constexpr std::size_t max_stream_update(Mode mode) {
  switch (mode) {
    case Mode::cfb1: return 64;
    case Mode::cfb8: return 40;
    default: return 400;
  }
}

/// StreamFailure: the message of a stream that went wrong, as far as it had come, as if it had been alone.
struct StreamFailure {
  Case message;
  Judgement judgement;
  std::size_t call = 0;  // how many calls of the stream there were up to then
};

/// Runs a stream on `backend`, and judges each message as a Case is judged, against the oracles and the interface's
/// rules about memory. Nothing if all agree, or the backend is not available here; shapes that it does not support are
/// left out. An Error if the oracles disagree.
[[nodiscard]] Result<std::optional<StreamFailure>> run_stream(const aesgate_backend& backend,
                                                              const std::vector<StreamCall>& calls);

/// StreamDisagreement: a backend that failed, and the least that shows it.
struct StreamDisagreement {
  std::string key, first;           // like Disagreement's
  std::string line;                 // for a person
  std::optional<Case> reproducer;   // a Case that shows the same, if one does: reduced, with the backend's name
  std::vector<StreamCall> reduced;  // else these calls: no call can be left out
};

/// The first of `backends` that fails on a stream in a way that is not known.
[[nodiscard]] Result<std::optional<StreamDisagreement>> find_stream_disagreement(
    std::span<const aesgate_backend* const> backends, const std::vector<StreamCall>& calls, const IsKnown& is_known);

}  // namespace aesgate
