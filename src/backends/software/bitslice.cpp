// AES as a Boolean circuit over bit planes (E. Biham, "A fast new DES implementation in software", FSE 1997): no lookup
// and no branch depends on a key or a text, in the key expansion neither. The forms are in the folder bitslice: over
// words of 64 bits, and vectors of 256 and 512.

#include "backends/forms.h"

namespace aesgate {
namespace {

constexpr aesgate_backend backend =
    best_form("bitslice", "software", "none", "a Boolean circuit over bit planes, constant-time");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate
