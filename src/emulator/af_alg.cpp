#include "emulator/stand_ins_built.h"

#if AESGATE_STAND_INS

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <linux/if_alg.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "emulator/stand_in_cipher.h"
#include "emulator/stand_in_objects.h"

// What is said of AF_ALG here is in Linux's crypto/af_alg.c and crypto/algif_skcipher.c.
namespace aesgate::emulator {
namespace {

struct Algorithm {
  const char* name;
  const char* driver;
  Mode mode;
};
constexpr std::array<Algorithm, 4> algorithms{{{"ecb(aes)", "ecb-aes-stand-in", Mode::ecb},
                                               {"cbc(aes)", "cbc-aes-stand-in", Mode::cbc},
                                               {"cfb(aes)", "cfb-aes-stand-in", Mode::cfb128},
                                               {"ofb(aes)", "ofb-aes-stand-in", Mode::ofb}}};

/// A socket from socket(): a cipher, once bound, and its key.
struct CipherSocket {
  const Algorithm* algorithm = nullptr;
  std::optional<Key> key;
};

/// One from accept(): operations.
struct OperationSocket {
  std::optional<StandInCipher> cipher;  // nothing: it was accepted without a key
  bool has_direction = false;
  Direction direction = Direction::encrypt;
  Block iv{};
  Bytes pending;  // data of a request of which more is to come
  bool more = false;
};

/// What a sendmsg() says besides its data.
struct Control {
  std::optional<std::uint32_t> operation;
  std::optional<Block> iv;
  bool bad_iv = false;
};

class AfAlg : public StandInDevice {
 public:
  AfAlg(SharedState& state, Watch& watch) : state_(state), ciphers_(state, watch), operations_(state, watch) {}

  bool handle(TargetCall& call) override {
    if (!state_.is_enabled(StandIn::af_alg)) return false;
    switch (call.number()) {
      case SYS_openat: return open_list(call, call.argument(1));
#ifdef SYS_open
      case SYS_open: return open_list(call, call.argument(0));
#endif
      case SYS_socket: return socket(call);
      case SYS_bind: return bind(call);
      case SYS_setsockopt: return set_key(call);
#ifdef SYS_accept
      case SYS_accept: return accept(call, 0);
#endif
      case SYS_accept4: return accept(call, call.int_argument(3));
      case SYS_sendmsg: return send(call);
      default: return false;
    }
  }

  void closed(ino_t object) override {
    ciphers_.forget(object);
    operations_.forget(object);
  }

 private:
  using CipherEntry = Objects<CipherSocket>::Entry;
  using OperationEntry = Objects<OperationSocket>::Entry;

  /// /proc/crypto has what this kernel has.
  bool open_list(TargetCall& call, std::uint64_t path) {
    if (!call.has_text(path, "/proc/crypto")) return false;
    std::string content;
    for (const Algorithm& algorithm : algorithms)
      content += fmt::format(
          "name         : {}\ndriver       : {}\nmodule       : kernel\npriority     : 100\nselftest     : passed\n"
          "internal     : no\ntype         : skcipher\nmin keysize  : 16\nmax keysize  : 32\nivsize       : {}\n\n",
          algorithm.name, algorithm.driver, has_iv(algorithm.mode) ? 16 : 0);
    const OwnDescriptor file(memfd_create("crypto", MFD_CLOEXEC));
    if (file.number() < 0 || ::write(file.number(), content.data(), content.size()) < 0 ||
        lseek(file.number(), 0, SEEK_SET) != 0)
      return false;
    call.answer_with_descriptor(file.number(), true);
    return true;
  }

  bool socket(TargetCall& call) {
    if (call.int_argument(0) != AF_ALG) return false;
    state_.count(Counted::socket);
    const int type = call.int_argument(1);
    if ((type & 0xf) != SOCK_SEQPACKET)
      call.fail(ESOCKTNOSUPPORT);
    else if (call.int_argument(2) != 0)
      call.fail(EPROTONOSUPPORT);
    else
      ciphers_.answer_with_new(call, (type & SOCK_CLOEXEC) != 0, {});
    return true;
  }

  bool bind(TargetCall& call) {
    CipherEntry* socket = ciphers_.find(call, call.int_argument(0));
    if (socket == nullptr) return false;
    state_.count(Counted::bind);
    sockaddr_alg address{};
    if (call.argument(2) < sizeof address) return refuse(call, EINVAL);
    if (!call.read(call.argument(1), address)) return refuse(call, EFAULT);
    if (address.salg_family != AF_ALG) return refuse(call, EINVAL);
    const auto text = [](const __u8* field, std::size_t size) {
      const char* first = reinterpret_cast<const char*>(field);
      return std::string_view(first, strnlen(first, size));
    };
    const std::string_view name = text(address.salg_name, sizeof address.salg_name);
    const auto* found = std::ranges::find_if(
        algorithms, [&](const Algorithm& algorithm) { return name == algorithm.name || name == algorithm.driver; });
    if (text(address.salg_type, sizeof address.salg_type) != "skcipher" || found == algorithms.end() ||
        state_.misbehaves(Misbehaviour::gone))
      return refuse(call, ENOENT);
    socket->value = {found, {}};
    call.answer(0);
    return true;
  }

  bool set_key(TargetCall& call) {
    CipherEntry* socket = ciphers_.find(call, call.int_argument(0));
    if (socket == nullptr) return false;
    if (call.int_argument(2) != ALG_SET_KEY) return refuse(call, ENOPROTOOPT);
    state_.count(Counted::set_key);
    Bytes bytes(std::min<std::uint64_t>(call.argument(4), 64));
    if (socket->value.algorithm == nullptr) return refuse(call, EINVAL);
    if (!call.read(call.argument(3), bytes.data(), bytes.size())) return refuse(call, EFAULT);
    Result<Key> key = Key::from(bytes);
    wipe(bytes.data(), bytes.size());
    if (!key || state_.misbehaves(Misbehaviour::refuses_key)) return refuse(call, EINVAL);
    socket->value.key = *std::move(key);
    call.answer(0);
    return true;
  }

  bool accept(TargetCall& call, int flags) {
    CipherEntry* socket = ciphers_.find(call, call.int_argument(0));
    if (socket == nullptr) return false;
    state_.count(Counted::accept);
    if (socket->value.algorithm == nullptr) return refuse(call, EINVAL);
    if (state_.misbehaves(Misbehaviour::busy)) return refuse(call, EBUSY);
    OperationSocket operations;
    if (socket->value.key) operations.cipher.emplace(socket->value.algorithm->mode, socket->value.key->copy());
    operations_.answer_with_new(call, (flags & SOCK_CLOEXEC) != 0, std::move(operations));
    return true;
  }

  bool send(TargetCall& call) {
    OperationEntry* socket = operations_.find(call, call.int_argument(0));
    if (socket == nullptr) return false;
    state_.count(Counted::sendmsg);
    OperationSocket& operations = socket->value;
    msghdr message{};
    if (!call.read(call.argument(1), message)) return refuse(call, EFAULT);
    const auto control = read_control(call, message);
    if (!control) return refuse(call, EFAULT);
    if (!operations.cipher) return refuse(call, ENOKEY);
    if (state_.misbehaves(Misbehaviour::gone)) return refuse(call, ENODEV);
    // A result that was not fetched, and data that the kernel had not been told of as more to come.
    int unread = 0;
    if (control->bad_iv || (control->iv && !has_iv(operations.cipher->mode())) ||
        (control->operation && *control->operation > ALG_OP_ENCRYPT) ||
        ioctl(socket->end.number(), SIOCOUTQ, &unread) != 0 || unread != 0)
      return refuse(call, EINVAL);
    if (control->iv) operations.iv = *control->iv;
    if (control->operation)
      operations.direction = *control->operation == ALG_OP_ENCRYPT ? Direction::encrypt : Direction::decrypt;
    const auto taken = take_data(call, message, operations.pending);
    if (!taken) return refuse(call, EFAULT);
    if ((call.int_argument(2) & MSG_MORE) == 0 && !finish_request(*socket)) return refuse(call, EINVAL);
    call.answer(static_cast<std::int64_t>(*taken));
    return true;
  }

  static std::optional<Control> read_control(const TargetCall& call, const msghdr& message) {
    Control control;
    std::vector<std::uint8_t> bytes(std::min<std::size_t>(message.msg_controllen, 4096));
    if (!call.read(reinterpret_cast<std::uint64_t>(message.msg_control), bytes.data(), bytes.size()))
      return std::nullopt;
    for (std::size_t at = 0; at + sizeof(cmsghdr) <= bytes.size();) {
      cmsghdr header{};
      std::memcpy(&header, bytes.data() + at, sizeof header);
      if (header.cmsg_len < sizeof header || header.cmsg_len > bytes.size() - at) break;
      const std::uint8_t* data = bytes.data() + at + CMSG_LEN(0);
      const std::size_t size = header.cmsg_len - CMSG_LEN(0);
      if (header.cmsg_level == SOL_ALG && header.cmsg_type == ALG_SET_OP && size == sizeof(std::uint32_t)) {
        std::uint32_t operation = 0;
        std::memcpy(&operation, data, sizeof operation);
        control.operation = operation;
      }
      if (header.cmsg_level == SOL_ALG && header.cmsg_type == ALG_SET_IV) {
        std::uint32_t length = 0;
        if (size >= sizeof length) std::memcpy(&length, data, sizeof length);
        control.bad_iv = length != block_bytes || size < sizeof length + block_bytes;
        if (!control.bad_iv) std::copy_n(data + sizeof length, block_bytes, control.iv.emplace().begin());
      }
      at += CMSG_ALIGN(header.cmsg_len);
    }
    return control;
  }

  /// How much was taken: what fits a socket's usual buffer.
  std::optional<std::size_t> take_data(const TargetCall& call, const msghdr& message, Bytes& pending) const {
    constexpr std::size_t most_parts = 1024;  // UIO_MAXIOV
    constexpr std::size_t buffer = 200u << 10;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(message.msg_iovlen, most_parts); ++i) {
      iovec part{};
      if (!call.read(reinterpret_cast<std::uint64_t>(message.msg_iov + i), part)) return std::nullopt;
      const std::size_t before = pending.size();
      std::size_t size = std::min(part.iov_len, buffer - std::min(before, buffer));
      if (state_.misbehaves(Misbehaviour::short_acceptance)) size = size / 2;
      pending.resize(before + size);
      if (!call.read(reinterpret_cast<std::uint64_t>(part.iov_base), pending.data() + before, size))
        return std::nullopt;
      taken += size;
    }
    return taken;
  }

  /// Puts the result of the pending data into the socket; false if the cipher does not take it.
  bool finish_request(OperationEntry& socket) {
    OperationSocket& operations = socket.value;
    Bytes data = std::exchange(operations.pending, {});
    if (data.empty()) return true;
    if (!operations.cipher->run(operations.direction, operations.iv, data)) return false;
    if (state_.misbehaves(Misbehaviour::wrong_data)) data[data.size() / 2] ^= 0x10;
    const std::size_t missing =
        state_.misbehaves(Misbehaviour::short_result) ? std::min<std::size_t>(data.size(), 16) : 0;
    const std::size_t size = data.size() - missing;
    return size == 0 || ::send(socket.end.number(), data.data(), size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  }

  static bool refuse(TargetCall& call, int error) {
    call.fail(error);
    return true;
  }

  SharedState& state_;
  Objects<CipherSocket> ciphers_;
  Objects<OperationSocket> operations_;
};

}  // namespace

std::unique_ptr<StandInDevice> make_af_alg(SharedState& state, Watch& watch) {
  return std::make_unique<AfAlg>(state, watch);
}

}  // namespace aesgate::emulator

#endif
