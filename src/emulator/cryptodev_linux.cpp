#include "emulator/stand_ins_built.h"

#if AESGATE_STAND_INS

#include <string_view>

#include <fmt/format.h>

#include "emulator/cryptodev_device.h"
#include "emulator/cryptodev_linux_interface.h"

namespace aesgate::emulator {
namespace {

using namespace cryptodev_linux;

std::optional<Mode> mode_of(std::uint32_t cipher) {
  switch (cipher) {
    case CRYPTO_AES_ECB: return Mode::ecb;
    case CRYPTO_AES_CBC: return Mode::cbc;
    case CRYPTO_AES_CFB: return Mode::cfb128;
    case CRYPTO_AES_OFB: return Mode::ofb;
    default: return std::nullopt;
  }
}

std::string_view word(Mode mode) {
  return mode == Mode::ecb ? "ecb" : mode == Mode::cbc ? "cbc" : mode == Mode::ofb ? "ofb" : "cfb";
}

class CryptodevLinux : public CryptodevDevice {
 public:
  CryptodevLinux(SharedState& state, Watch& watch) : CryptodevDevice(state, watch, StandIn::cryptodev) {}

 private:
  bool answer_ioctl(TargetCall& call, File& file, unsigned request) override {
    const std::uint64_t address = call.argument(2);
    switch (request) {
      case CRIOGET: return give_clone(call, address);
      case CIOCGSESSION: {
        session_op session{};
        if (!call.read(address, session)) return refuse(call, EFAULT);
        if (const int error = open_session(call, file, mode_of(session.cipher), session.mac,
                                           reinterpret_cast<std::uint64_t>(session.key), session.keylen, session.ses))
          return refuse(call, error);
        return done(call, call.write(address, session));
      }
      case CIOCFSESSION: {
        std::uint32_t number = 0;
        if (!call.read(address, number)) return refuse(call, EFAULT);
        if (!file.remove(number)) return refuse(call, EINVAL);
        return done(call, true);
      }
      case CIOCGSESSINFO: return session_info(call, file, address);
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
                      .iv = reinterpret_cast<std::uint64_t>(operation.iv),
                      .writes_iv = (operation.flags & COP_FLAG_WRITE_IV) != 0});
      }
      default: return false;
    }
  }

  static bool session_info(TargetCall& call, File& file, std::uint64_t address) {
    session_info_op info{};
    if (!call.read(address, info)) return refuse(call, EFAULT);
    const Session* session = file.find(info.ses);
    if (session == nullptr) return refuse(call, EINVAL);
    const std::string_view mode = word(session->cipher.mode());
    const auto put = [](char(&field)[64], const std::string& text) {
      field[text.copy(field, sizeof field - 1)] = '\0';
    };
    put(info.cipher_info.cra_name, fmt::format("{}(aes)", mode));
    put(info.cipher_info.cra_driver_name, fmt::format("{}-aes-stand-in", mode));
    info.alignmask = 15;
    info.flags = 0;  // not by hardware
    return done(call, call.write(address, info));
  }

  static bool done(TargetCall& call, bool written) {
    written ? call.answer(0) : call.fail(EFAULT);
    return true;
  }

  /// The session's, where its last request ended.
  int missing_iv(Session& session, const Bytes&, Block& iv) override {
    iv = session.iv;
    return 0;
  }
  [[nodiscard]] std::uint32_t most_bytes() const override { return 1u << 30; }
};

}  // namespace

std::unique_ptr<StandInDevice> make_cryptodev_linux(SharedState& state, Watch& watch) {
  return std::make_unique<CryptodevLinux>(state, watch);
}

}  // namespace aesgate::emulator

#endif
