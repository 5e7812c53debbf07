#pragma once

#include <functional>
#include <span>

#include "core/case.h"
#include "fuzz/prng.h"

namespace aesgate {

/// MutateBytes: changes `size` bytes at the front of `bytes`, and gives back how many they are then, at most
/// bytes.size(): LLVMFuzzerMutate.
using MutateBytes = std::function<std::size_t(std::span<std::uint8_t> bytes, std::size_t size)>;

/// Changes one thing about a Case that can_encode() (case_codec.h), and leaves one that can: its shape, its length,
/// how it is split, where a buffer lies, in place or not, key or IV; or its input, through `mutate_bytes`.
void mutate(Case& c, Prng& prng, const MutateBytes& mutate_bytes);

/// A Case with some parts of `a` and the others of `b`, made to fit each other.
[[nodiscard]] Case cross(const Case& a, const Case& b, Prng& prng);

}  // namespace aesgate
