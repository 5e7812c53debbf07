// AES without AES instructions, by GFNI (Intel SDM volume 2): GF2P8AFFINEINVQB inverts every byte of a register in the
// field of FIPS-197 and applies an affine map to it, which is SubBytes. Nothing is looked up and no branch depends on
// a secret, in the key expansion neither, so time does not either. The forms are in the folder gfni.

#include "backends/forms.h"

namespace aesgate {
namespace {

#if defined(__x86_64__)

constexpr aesgate_backend backend =
    best_form("gfni", "instruction", "gfni", "SubBytes by GF2P8AFFINEINVQB, no AES instruction, constant-time");
AESGATE_REGISTER(backend);

#else

AESGATE_ELSEWHERE("gfni", "instruction", "gfni", "SubBytes by GF2P8AFFINEINVQB, no AES instruction, constant-time",
                  "gfni needs an x86-64 CPU");

#endif

}  // namespace
}  // namespace aesgate
