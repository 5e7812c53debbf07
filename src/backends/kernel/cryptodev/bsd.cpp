// The driver of /dev/crypto against BSD's interface as we describe it. For a stand-in alone: on a BSD, cryptodev is
// compiled against the system's own.

#include "emulator/cryptodev_bsd_interface.h"

using namespace aesgate::cryptodev_bsd;

#include "backends/kernel/cryptodev_driver.h"
#include "emulator/stand_in.h"

namespace aesgate::kernel {
namespace {

std::string why_not() {
  if (emulator::stand_in_is_installed(emulator::StandIn::cryptodev_bsd)) return {};
  return "not built for a real device; --emulate cryptodev-bsd runs the code against a stand-in";
}

constexpr aesgate_backend form =
    kernel_backend<DeviceContext<why_not>>("cryptodev-bsd", "/dev/crypto by BSD's requests, which know CBC");
AESGATE_REGISTER_FORM(form);

}  // namespace
}  // namespace aesgate::kernel
