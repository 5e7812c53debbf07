#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/aesgate_backend.h"
#include "backends/kernel/kernel_backend.h"
#include "core/secret.h"

namespace aesgate::kernel {

/// Message: a message in ECB, CBC, CFB128 or OFB, cut into requests as a kernel takes them: whole blocks, each request
/// with the IV to begin with. A Device is what answers them:
///
///     std::size_t most_bytes() const;     of one request; a multiple of 16
///     bool run(const std::uint8_t iv[16], const std::uint8_t* in, std::uint8_t* out, std::size_t length);
///                                         the whole request, in the kernel's own mode; false if it failed. In may be
///                                         out. iv is not for ECB.
///
/// and what it may have:
///
///     bool handed_back(const std::uint8_t next[16]) const;
///                                         Is this what the device said that the next IV is?
///
/// The IV of the next request is worked out here, from the ciphertext or, in OFB, from the keystream (SP 800-38A
/// sections 6.2 to 6.4): no kernel's way of handing it back is relied upon.
///
/// Where an update() of CFB128 or OFB ends within a block, that block is asked for with zeros in the place of what is
/// still to come. What the kernel's mode does to a zero is the keystream, which the next update() then XORs by itself.
class Message {
 public:
  void begin(std::uint32_t mode, bool decrypts, const std::uint8_t* iv) {
    mode_ = mode;
    decrypts_ = decrypts;
    used_ = 0;
    if (mode != AESGATE_ECB) std::copy_n(iv, block_bytes, chain_.begin());
  }

  [[nodiscard]] std::uint32_t mode() const { return mode_; }
  [[nodiscard]] bool decrypts() const { return decrypts_; }

  template <typename Device>
  int update(Device& device, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    if (mode_ == AESGATE_ECB || mode_ == AESGATE_CBC) {
      if (length % block_bytes != 0) return AESGATE_BAD_ARGUMENT;
      return blocks(device, in, out, length);
    }
    const std::size_t rest = used_ == 0 ? 0 : std::min(length, block_bytes - used_);
    in_the_block(in, out, rest);
    const std::size_t whole = (length - rest) / block_bytes * block_bytes;
    if (const int status = blocks(device, in + rest, out + rest, whole); status != AESGATE_OK) return status;
    const std::size_t done = rest + whole;
    return done == length ? AESGATE_OK : begin_a_block(device, in + done, out + done, length - done);
  }

  int chaining_value(std::uint8_t* iv) const {
    if (mode_ == AESGATE_ECB || used_ != 0) return AESGATE_UNSUPPORTED;
    std::copy_n(chain_.begin(), block_bytes, iv);
    return AESGATE_OK;
  }

 private:
  using Block = std::array<std::uint8_t, block_bytes>;

  template <typename Device>
  int blocks(Device& device, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    while (length > 0) {
      const std::size_t n = std::min(length, device.most_bytes());
      Block last;  // in place, the request overwrites it
      std::copy_n(in + n - block_bytes, block_bytes, last.begin());
      if (!device.run(chain_.data(), in, out, n)) return AESGATE_FAILED;
      follow(last.data(), out + n - block_bytes);
      if constexpr (requires { device.handed_back(chain_.data()); })
        if (mode_ != AESGATE_ECB && !device.handed_back(chain_.data())) return AESGATE_FAILED;
      in += n;
      out += n;
      length -= n;
    }
    return AESGATE_OK;
  }

  /// The next IV, after a block that went in and came out.
  void follow(const std::uint8_t* in, const std::uint8_t* out) {
    if (mode_ == AESGATE_OFB)
      for (std::size_t i = 0; i < block_bytes; ++i) chain_[i] = static_cast<std::uint8_t>(in[i] ^ out[i]);
    else if (mode_ != AESGATE_ECB)
      std::copy_n(decrypts_ ? in : out, block_bytes, chain_.begin());
  }

  template <typename Device>
  int begin_a_block(Device& device, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    Block block{};
    std::copy_n(in, length, block.begin());
    const Block before = block;
    const bool ran = device.run(chain_.data(), block.data(), block.data(), block_bytes);
    for (std::size_t i = 0; i < block_bytes; ++i) keystream_[i] = static_cast<std::uint8_t>(before[i] ^ block[i]);
    wipe(block.data(), block.size());
    if (!ran) return AESGATE_FAILED;
    in_the_block(in, out, length);
    return AESGATE_OK;
  }

  /// `length` bytes of the block that keystream_ is for. Its ciphertext grows in chain_, which CFB128 takes next.
  void in_the_block(const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i, used_ = (used_ + 1) % block_bytes) {
      const std::uint8_t before = in[i];
      out[i] = static_cast<std::uint8_t>(before ^ keystream_[used_]);
      chain_[used_] = mode_ == AESGATE_OFB ? keystream_[used_] : decrypts_ ? before : out[i];
    }
  }

  std::uint32_t mode_ = AESGATE_ECB;
  bool decrypts_ = false;
  std::size_t used_ = 0;  // of keystream_; 0 between blocks
  Block chain_{};
  Block keystream_{};
};

}  // namespace aesgate::kernel
