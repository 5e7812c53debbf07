#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape.h"
#include "witness/backend_call.h"
#include "witness/claim.h"

namespace aesgate::witness {

/// Proof: what came out about a claim.
enum class Proof : std::uint8_t {
  proven,      // what was claimed ran, and on the data of the message
  refuted,     // something else ran
  consistent,  // nothing speaks against it, and what speaks for it is indirect
  unknown      // nothing could be seen, for a reason
};
[[nodiscard]] std::string_view name(Proof proof);  // "PROVEN", "REFUTED", "CONSISTENT", "UNKNOWN"

/// ShapeProof: the same of a shape.
struct ShapeProof {
  std::size_t shape = 0;  // place in all_shapes()
  Proof proof = Proof::unknown;
  std::string ran;         // "vaes.zmm", "gfni", "kernel", "none"; empty if that is not clear
  std::string reason;      // of all but proven
  std::string note;        // of what is proven: something that a reader would want to know
  bool cut_short = false;  // consistent for no other reason than that more was not looked at
};

/// What the evidence says of a claim. `unit` is the backend's word for it.
[[nodiscard]] ShapeProof judge_shape(std::string_view unit, const ShapeEvidence& evidence);

/// What a call ran on, by a backend's words: only if all of its blocks did. Empty if that is not clear.
[[nodiscard]] std::string ran_on(const CallEvidence& call);

/// BackendProof: the same of all shapes together: refuted if one is, proven if all are. Where nothing has to run, or
/// anything may, a shape that was cut short does not stand against the others of its mode that are proven.
struct BackendProof {
  Proof proof = Proof::unknown;
  std::string ran;     // in most of what is judged by width, and what else where that differs
  std::string reason;  // of all but proven: the first shape's, and in how many it is so
  std::vector<std::string> notes;
};
[[nodiscard]] BackendProof conclude(std::string_view unit, const std::vector<ShapeProof>& shapes);

}  // namespace aesgate::witness
