// /dev/crypto, of NetBSD, FreeBSD and cryptodev-linux. Where the system has no <crypto/cryptodev.h> no real device can
// be driven: the same code is then compiled against our description of Linux's, and runs against a stand-in alone.
// cryptodev/bsd.cpp is it once more, against BSD's. Option:
//
//     form=bsd     that

#if __has_include(<crypto/cryptodev.h>)
#include <sys/types.h>

#include <crypto/cryptodev.h>
#define AESGATE_SYSTEM_CRYPTODEV 1
#else
#include "emulator/cryptodev_linux_interface.h"
#define AESGATE_SYSTEM_CRYPTODEV 0
using namespace aesgate::cryptodev_linux;
#endif

#include "backends/kernel/cryptodev_driver.h"

#include <string_view>

#include "core/registry.h"
#include "emulator/stand_in.h"

namespace aesgate::kernel {
namespace {

std::string why_not() {
  if (AESGATE_SYSTEM_CRYPTODEV != 0 || emulator::stand_in_is_installed(emulator::StandIn::cryptodev)) return {};
  return "not built: <crypto/cryptodev.h> was not found when aesgate was built; --emulate cryptodev runs the code "
         "against a stand-in of Linux's, and --emulate cryptodev-bsd the variant cryptodev:form=bsd against one of "
         "BSD's";
}

const aesgate_backend* configure(const aesgate_backend*, const char* options, char* reason, std::size_t size) {
  if (std::string_view(options) == "form=bsd")
    for (const aesgate_backend* form : built_in_forms())
      if (std::string_view(form->name) == "cryptodev-bsd") return form;
  explain(fmt::format("unknown option \"{}\"; known: form=bsd", options), reason, size);
  return nullptr;
}

constexpr aesgate_backend make() {
  aesgate_backend b = kernel_backend<DeviceContext<why_not>>("cryptodev", "/dev/crypto: the driver that it prefers");
  b.configure = configure;
  return b;
}

constexpr aesgate_backend backend = make();
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate::kernel
