#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "core/result.h"

// Stand-ins for interfaces that this machine's kernel lacks: AF_ALG sockets, and /dev/crypto. The program's own system
// calls are made and answered, by a supervisor: a process that a seccomp filter asks before the kernel does what these
// calls say (seccomp_unotify(2)). The program does not know, and needs no privilege; it cannot gain any from then on,
// since the filter needs no_new_privs. The filter stays until the process ends, in its threads and its children too;
// the supervisor ends with the process that installed it.
//
// It sees open(), openat(), bind(), accept(), sendmsg(), and those socket(), setsockopt() and ioctl() calls that are
// about these interfaces, and lets all pass that are not about an object of its own. AES is done by the oracle.
//
//  - af_alg: symmetric ciphers as /proc/crypto, which is then its own, has them: ecb(aes), cbc(aes), cfb(aes),
//  ofb(aes).
//    Results lie ready in the socket, so read() and recv() are the kernel's, and are not counted. Not emulated: data
//    by write() and send(), splice(), other types of algorithm.
//  - cryptodev: /dev/crypto with the requests and numbers of cryptodev-linux (ECB, CBC, CFB, OFB); cryptodev-bsd: with
//    those of FreeBSD, which are NetBSD's too (CBC, no IV back).
namespace aesgate::emulator {

enum class StandIn : std::uint8_t { af_alg, cryptodev, cryptodev_bsd };
inline constexpr std::array all_stand_ins{StandIn::af_alg, StandIn::cryptodev, StandIn::cryptodev_bsd};
/// "af_alg", "cryptodev", "cryptodev-bsd": the names of --emulate.
[[nodiscard]] std::string_view name(StandIn stand_in);

/// Can this build have any?
[[nodiscard]] bool stand_ins_are_built();

/// Switches it on, for the rest of the process; also where the kernel has the real thing, which is then out of reach.
/// Best before other threads run. An Error says what this kernel lacks, or that the other /dev/crypto is on already.
[[nodiscard]] Result<void> install_stand_in(StandIn stand_in);
[[nodiscard]] bool stand_in_is_installed(StandIn stand_in);

/// The calls that were answered, by all stand-ins, since the first was installed; ioctls by the number of the request.
enum class Counted : std::uint8_t { open, socket, bind, set_key, accept, sendmsg, count };
[[nodiscard]] std::uint64_t answered(Counted call);
[[nodiscard]] std::uint64_t answered_ioctls(unsigned number);
/// The objects that the program has now: sockets, open devices; and sessions of /dev/crypto.
[[nodiscard]] std::int64_t open_objects();
[[nodiscard]] std::int64_t open_sessions();

/// What a kernel or device may do wrong, for tests. It goes on until another is planted, and holds for what is asked
/// from then on.
enum class Misbehaviour : std::uint8_t {
  none,
  refuses_key,       // EINVAL for every key
  busy,              // EBUSY for accept(), and for a session
  gone,              // ENODEV for requests, ENOENT for open() and bind()
  short_result,      // the last block of a result is missing, and nothing is said
  short_acceptance,  // sendmsg() takes less than it was given
  wrong_iv,          // a bit of the IV that is handed back
  wrong_data         // a bit of each result
};
void plant(Misbehaviour misbehaviour);

/// The supervisor's process; nothing if none runs.
[[nodiscard]] std::optional<pid_t> supervisor();

}  // namespace aesgate::emulator
