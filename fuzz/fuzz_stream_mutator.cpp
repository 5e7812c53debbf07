// How libFuzzer changes the inputs of fuzz_stream: by calls, of four bytes. Apart from the target, since
// LLVMFuzzerMutate is there in a build with libFuzzer only.

#include <algorithm>

#include "fuzz/prng.h"
#include "fuzz/stream.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using aesgate::StreamCall;

/// Lengths at which something changes: about a block, and about a number of blocks.
std::uint16_t length(aesgate::Prng& prng) {
  if (prng.one_in(4)) return static_cast<std::uint16_t>(prng.below(401));
  const std::size_t blocks = std::size_t{16} << prng.below(5);
  return static_cast<std::uint16_t>(blocks + prng.below(3) - 1);
}

StreamCall random_call(aesgate::Prng& prng) {
  std::array<std::uint8_t, 4> bytes{};
  prng.fill(bytes);
  StreamCall call = aesgate::decode_stream(bytes).front();
  if (call.kind == StreamCall::Kind::update) call.number = length(prng);
  return call;
}

void mutate(std::vector<StreamCall>& calls, aesgate::Prng& prng) {
  if (calls.empty()) return calls.push_back(random_call(prng));
  const std::size_t at = prng.below(calls.size());
  const auto place = calls.begin() + static_cast<std::ptrdiff_t>(at);
  switch (prng.below(7)) {
    case 0: calls.insert(place, random_call(prng)); break;
    case 1: calls.insert(place, prng.pick(calls)); break;
    case 2: calls.erase(place); break;
    case 3: std::swap(*place, prng.pick(calls)); break;
    case 4: place->number = length(prng); break;
    case 5: place->context = static_cast<std::uint8_t>(prng.below(aesgate::stream_contexts)); break;
    default: *place = random_call(prng);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  aesgate::Prng prng(seed);
  if (prng.one_in(4)) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<StreamCall> calls = aesgate::decode_stream({data, size});
  do mutate(calls, prng);
  while (prng.one_in(2));
  const aesgate::Bytes bytes = encode_stream(calls);
  const std::size_t written = std::min(bytes.size(), max_size);
  std::copy_n(bytes.begin(), written, data);
  return written;
}
