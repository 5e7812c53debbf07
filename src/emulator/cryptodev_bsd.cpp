#include "emulator/stand_ins_built.h"

#if AESGATE_STAND_INS

#include "emulator/cryptodev_bsd_interface.h"
#include "emulator/cryptodev_device.h"

namespace aesgate::emulator {
namespace {

using namespace cryptodev_bsd;

constexpr int driver_number = 3;

class CryptodevBsd : public CryptodevDevice {
 public:
  CryptodevBsd(SharedState& state, Watch& watch) : CryptodevDevice(state, watch, StandIn::cryptodev_bsd) {}

 private:
  bool answer_ioctl(TargetCall& call, File& file, unsigned request) override {
    const std::uint64_t address = call.argument(2);
    switch (request) {
      case CRIOGET: return give_clone(call, address);
      case CIOCGSESSION: {
        session_op session{};
        if (!call.read(address, session)) return refuse(call, EFAULT);
        if (const int error = open_cbc(call, file, session)) return refuse(call, error);
        return done(call, call.write(address, session));
      }
      case CIOCGSESSION2: {
        session2_op session{};
        if (!call.read(address, session)) return refuse(call, EFAULT);
        // Who asks for one kind of driver, or for one driver, gets no other; this one is software.
        const bool any = (session.crid & CRYPTO_FLAG_SOFTWARE) != 0 || session.crid == driver_number;
        if (!any) return refuse(call, EINVAL);
        if (const int error = open_cbc(call, file, session)) return refuse(call, error);
        session.crid = driver_number | CRYPTO_FLAG_SOFTWARE;
        return done(call, call.write(address, session));
      }
      case CIOCFSESSION: {
        std::uint32_t number = 0;
        if (!call.read(address, number)) return refuse(call, EFAULT);
        if (!file.remove(number)) return refuse(call, EINVAL);
        return done(call, true);
      }
      case CIOCFINDDEV: return find_driver(call, address);
      case CIOCCRYPT: {
        crypt_op operation{};
        if (!call.read(address, operation)) return refuse(call, EFAULT);
        if (operation.op != COP_ENCRYPT && operation.op != COP_DECRYPT) return refuse(call, EINVAL);
        return crypt(call, file,
                     {.session = operation.ses,
                      .direction = operation.op == COP_ENCRYPT ? Direction::encrypt : Direction::decrypt,
                      .length = operation.len,
                      .source = reinterpret_cast<std::uint64_t>(operation.src),
                      .target = reinterpret_cast<std::uint64_t>(operation.dst),
                      .iv = reinterpret_cast<std::uint64_t>(operation.iv)});
      }
      default: return false;
    }
  }

  template <typename Session>
  int open_cbc(const TargetCall& call, File& file, Session& session) {
    return open_session(call, file, session.cipher == CRYPTO_AES_CBC ? std::optional(Mode::cbc) : std::nullopt,
                        session.mac, reinterpret_cast<std::uint64_t>(session.key), session.keylen, session.ses);
  }

  static bool find_driver(TargetCall& call, std::uint64_t address) {
    crypt_find_op find{};
    if (!call.read(address, find)) return refuse(call, EFAULT);
    if ((find.crid & 0xffff) != driver_number) return refuse(call, ENOENT);
    std::strcpy(find.name, "standin0");
    return done(call, call.write(address, find));
  }

  static bool done(TargetCall& call, bool written) {
    written ? call.answer(0) : call.fail(EFAULT);
    return true;
  }

  /// The first block of the data.
  int missing_iv(Session&, const Bytes& data, Block& iv) override {
    if (data.size() < block_bytes) return EINVAL;
    std::copy_n(data.begin(), block_bytes, iv.begin());
    return 0;
  }
  /// NetBSD's, until it was raised.
  [[nodiscard]] std::uint32_t most_bytes() const override { return (256u << 10) - 4; }
};

}  // namespace

std::unique_ptr<StandInDevice> make_cryptodev_bsd(SharedState& state, Watch& watch) {
  return std::make_unique<CryptodevBsd>(state, watch);
}

}  // namespace aesgate::emulator

#endif
