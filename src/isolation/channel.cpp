#include "isolation/channel.h"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/uio.h>

namespace aesgate::channel {
namespace {

bool receive_all(int socket, std::uint8_t* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = recv(socket, data, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool send(int socket, ByteView message) {
  if (message.size() > longest) return false;
  auto length = static_cast<std::uint32_t>(message.size());
  iovec parts[2] = {{&length, sizeof length}, {const_cast<std::uint8_t*>(message.data()), message.size()}};
  msghdr header{};
  header.msg_iov = parts;
  header.msg_iovlen = 2;
  while (header.msg_iovlen > 0) {
    const ssize_t sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    auto left = static_cast<std::size_t>(sent);
    while (header.msg_iovlen > 0 && left >= header.msg_iov->iov_len) {
      left -= header.msg_iov->iov_len;
      ++header.msg_iov;
      --header.msg_iovlen;
    }
    if (header.msg_iovlen == 0) break;
    header.msg_iov->iov_base = static_cast<std::uint8_t*>(header.msg_iov->iov_base) + left;
    header.msg_iov->iov_len -= left;
  }
  return true;
}

Received receive(int socket, Bytes& message) {
  std::uint32_t length = 0;
  if (!receive_all(socket, reinterpret_cast<std::uint8_t*>(&length), sizeof length)) return Received::end;
  if (length > longest) return Received::nonsense;
  message.resize(length);
  return receive_all(socket, message.data(), length) ? Received::message : Received::end;
}

}  // namespace aesgate::channel
