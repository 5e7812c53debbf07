// How libFuzzer changes the inputs of fuzz_differential: as Cases, which stay valid. Apart from the target, since
// LLVMFuzzerMutate is there in a build with libFuzzer only.

#include <algorithm>

#include "fuzz/case_codec.h"
#include "fuzz/mutate.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

std::size_t mutate_bytes(std::span<std::uint8_t> bytes, std::size_t size) {
  return LLVMFuzzerMutate(bytes.data(), size, bytes.size());
}

/// What does not fit is cut off, and decode() makes up for it.
std::size_t write(const aesgate::Case& c, std::uint8_t* data, std::size_t max_size) {
  const aesgate::Bytes bytes = encode(c);
  const std::size_t size = std::min(bytes.size(), max_size);
  std::copy_n(bytes.begin(), size, data);
  return size;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  aesgate::Case c = aesgate::decode({data, size});
  aesgate::Prng prng(seed);
  do mutate(c, prng, mutate_bytes);
  while (prng.one_in(3));
  return write(c, data, max_size);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2, std::uint8_t* out,
                                                 std::size_t max_out_size, unsigned int seed) {
  aesgate::Prng prng(seed);
  return write(cross(aesgate::decode({data1, size1}), aesgate::decode({data2, size2}), prng), out, max_out_size);
}
