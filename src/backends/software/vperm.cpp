// AES by byte shuffles: the table of a lookup is in a register, so that its time does not depend on the index; no
// branch does either, in the key expansion neither. The forms are in the folder vperm.

#include "backends/forms.h"

namespace aesgate {
namespace {

#if defined(__x86_64__) || defined(__i386__)

constexpr aesgate_backend backend =
    best_form("vperm", "software", "none", "S-box lookups by byte shuffles, constant-time");
AESGATE_REGISTER(backend);

#else

AESGATE_ELSEWHERE("vperm", "software", "none", "S-box lookups by byte shuffles, constant-time",
                  "vperm needs an x86 CPU with SSSE3");

#endif

}  // namespace
}  // namespace aesgate
