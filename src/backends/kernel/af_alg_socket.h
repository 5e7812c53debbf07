#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <linux/if_alg.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/kernel/kernel_backend.h"
#include "core/result.h"
#include "core/secret.h"

// Linux's AF_ALG sockets for symmetric ciphers, as Documentation/crypto/userspace-if.rst has them: a socket that is
// bound to a cipher and takes a key, and one for operations, which comes from accept() on the former. A request is one
// sendmsg() with direction, IV and data, and as many recv() as give the result back.
namespace aesgate::kernel {

#ifndef SOL_ALG
#define SOL_ALG 279  // older C libraries lack it
#endif

/// Refusal: which call of the kernel's did not work, and what it said.
struct Refusal {
  const char* call = "";
  int error = 0;  // of errno; 0: there is no refusal

  explicit operator bool() const { return error != 0; }
};

/// A socket that is bound to the cipher of this name, an algorithm's or a driver's: 63 bytes at most.
inline Refusal bind_cipher(const char* name, Descriptor& socket_) {
  sockaddr_alg address{};
  address.salg_family = AF_ALG;
  std::strcpy(reinterpret_cast<char*>(address.salg_type), "skcipher");
  if (std::strlen(name) >= sizeof address.salg_name) return {"bind()", ENOENT};
  std::strcpy(reinterpret_cast<char*>(address.salg_name), name);
  socket_ = Descriptor(uninterrupted([] { return socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }));
  if (!socket_.is_open()) return {"socket(AF_ALG)", errno};
  const auto bound = [&] {
    return bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  };
  return uninterrupted(bound) == 0 ? Refusal{} : Refusal{"bind()", errno};
}

inline Refusal set_key(const Descriptor& socket_, const std::uint8_t* key, std::size_t bytes) {
  const auto set = [&] {
    return setsockopt(socket_.number(), SOL_ALG, ALG_SET_KEY, key, static_cast<socklen_t>(bytes));
  };
  return uninterrupted(set) == 0 ? Refusal{} : Refusal{"setsockopt(ALG_SET_KEY)", errno};
}

/// Operations: a cipher with a key, in one direction. A Device of message.h.
class Operations {
 public:
  Refusal open(const Descriptor& cipher, bool decrypts, bool has_iv) {
    socket_ = Descriptor(uninterrupted([&] { return accept4(cipher.number(), nullptr, nullptr, SOCK_CLOEXEC); }));
    if (!socket_.is_open()) return {"accept()", errno};
    // The kernel takes what fits its buffer of this size, in pages, and waits for a recv() before it takes more.
    int buffer = 0;
    socklen_t size = sizeof buffer;
    if (getsockopt(socket_.number(), SOL_SOCKET, SO_SNDBUF, &buffer, &size) != 0)
      return {"getsockopt(SO_SNDBUF)", errno};
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    // Of any alignment, so many bytes lie in no more than the 16 pages that the kernel maps at a time.
    most_ = std::clamp(static_cast<std::size_t>(std::max(buffer, 0)) / page, std::size_t{1}, std::size_t{15}) * page;
    operation_ = decrypts ? ALG_OP_DECRYPT : ALG_OP_ENCRYPT;
    has_iv_ = has_iv;
    return {};
  }

  [[nodiscard]] std::size_t most_bytes() const { return most_; }

  bool run(const std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    return send(iv, in, length) && receive(out, length);
  }

 private:
  // Neither call ever waits: a healthy kernel has no reason to make it, and with another one aesgate shall not hang.
  static constexpr int flags = MSG_DONTWAIT | MSG_NOSIGNAL;

  bool send(const std::uint8_t* iv, const std::uint8_t* in, std::size_t length) const {
    constexpr std::size_t iv_bytes = sizeof(af_alg_iv) + block_bytes;
    alignas(cmsghdr) std::uint8_t control[CMSG_SPACE(sizeof operation_) + CMSG_SPACE(iv_bytes)] = {};
    iovec data{const_cast<std::uint8_t*>(in), length};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = has_iv_ ? sizeof control : CMSG_SPACE(sizeof operation_);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    *header = {.cmsg_len = CMSG_LEN(sizeof operation_), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_OP};
    std::memcpy(CMSG_DATA(header), &operation_, sizeof operation_);
    if (has_iv_) {
      header = CMSG_NXTHDR(&message, header);
      *header = {.cmsg_len = CMSG_LEN(iv_bytes), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_IV};
      const std::uint32_t iv_length = block_bytes;
      std::memcpy(CMSG_DATA(header) + offsetof(af_alg_iv, ivlen), &iv_length, sizeof iv_length);
      std::memcpy(CMSG_DATA(header) + offsetof(af_alg_iv, iv), iv, block_bytes);
    }
    const ssize_t sent = uninterrupted([&] { return sendmsg(socket_.number(), &message, flags); });
    // It all fits, so a part is an error like any other.
    return sent == static_cast<ssize_t>(length);
  }

  bool receive(std::uint8_t* out, std::size_t length) const {
    while (length > 0) {
      const ssize_t got = uninterrupted([&] { return recv(socket_.number(), out, length, flags); });
      if (got <= 0 || static_cast<std::size_t>(got) > length) return false;
      out += got;
      length -= static_cast<std::size_t>(got);
    }
    return true;
  }

  Descriptor socket_;
  std::size_t most_ = block_bytes;
  std::uint32_t operation_ = ALG_OP_ENCRYPT;
  bool has_iv_ = false;
};

}  // namespace aesgate::kernel
