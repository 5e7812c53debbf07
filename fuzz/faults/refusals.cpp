// What is refused that should not be, what should be and is not, and how.

#include <atomic>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "refusals";

bool is_refused(Call c) { return (c.is(AESGATE_ECB) || c.is(AESGATE_CBC)) && c.n % 16 != 0; }

struct RoundsDown : Good {
  static int update(Call c) { return is_refused(c) && c.n > 16 ? c.m.update(c.in, c.out, c.n / 16 * 16) : c.run(); }
};
AESGATE_FAULT("fault-rounds-length-down", RoundsDown, "a class of its own",
              "ECB and CBC take any length, and leave the last partial block out");

struct AcceptsABlockAndAHalf : Good {
  static int update(Call c) { return c.is(AESGATE_ECB) && c.n == 24 ? c.m.update(c.in, c.out, 16) : c.run(); }
};
AESGATE_FAULT("fault-block-and-a-half-accepted", AcceptsABlockAndAHalf, "a class of its own",
              "ECB takes 24 bytes, of all lengths that are no blocks, and does one block");

struct NothingDone : Good {
  static int update(Call c) { return is_refused(c) && c.n < 16 ? int{AESGATE_OK} : c.run(); }
};
AESGATE_FAULT("fault-short-length-accepted", NothingDone, "a class of its own",
              "ECB and CBC do nothing with less than a block, and say ok");

struct RefusalChangesState : Good {
  static void before(Call c) {
    if (c.is(AESGATE_CBC) && is_refused(c)) c.m.spoil_chain();
  }
};
AESGATE_FAULT("fault-refusal-changes-state", RefusalChangesState, "a class of its own",
              "CBC: a length that is refused has changed the chaining value");

struct RefusalWrites : Good {
  static void before(Call c) {
    if (is_refused(c) && c.n % 16 == 15) c.out[0] = 0;
  }
};
AESGATE_FAULT("fault-refusal-writes", RefusalWrites, "a class of its own",
              "a length that is refused has been written to");

struct RefusesAsFailed : Good {
  static int update(Call c) { return is_refused(c) ? int{AESGATE_FAILED} : c.run(); }
};
AESGATE_FAULT("fault-refusal-is-failed", RefusesAsFailed, "a class of its own",
              "a length that the mode cannot take is called a failure");

struct ZeroRefused : Good {
  static int update(Call c) { return c.n == 0 ? int{AESGATE_BAD_ARGUMENT} : c.run(); }
};
AESGATE_FAULT("fault-zero-length-refused", ZeroRefused, "cryptodev-linux cf02bb7", "a call of no byte is refused");

struct TooLong : Good {
  static int update(Call c) { return c.bytes() > 160 ? int{AESGATE_UNSUPPORTED} : c.run(); }
};
AESGATE_FAULT("fault-long-call-unsupported", TooLong, "a class of its own",
              "calls of more than 160 bytes are unsupported");

struct StartRefuses192 : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    const int status = m.start(key, iv);
    return m.shape.key_bits == 192 ? int{AESGATE_UNSUPPORTED} : status;
  }
};
AESGATE_FAULT("fault-start-refuses-192", StartRefuses192, "a class of its own",
              "update_for() has 192-bit keys, and start() refuses them");

struct UnavailableLater : Good {
  static inline std::atomic<std::size_t> starts = 0;
  static int start(Message& m, const Byte* key, const Byte* iv) {
    const int status = m.start(key, iv);
    return ++starts > 100 ? int{AESGATE_UNAVAILABLE} : status;
  }
};
AESGATE_FAULT("fault-unavailable-later", UnavailableLater, "a class of its own",
              "after a hundred messages the unit is not there any more");

struct UnknownStatus : Good {
  static int update(Call c) {
    const int status = c.run();
    return c.is(AESGATE_ECB) && c.n > 64 ? 99 : status;
  }
};
AESGATE_FAULT("fault-unknown-status", UnknownStatus, "a class of its own",
              "update() says a status that the interface does not have");

struct SilentNoOp : Good {
  static int update(Call c) { return c.is(AESGATE_CFB8) && c.n > 16 ? int{AESGATE_OK} : c.run(); }
};
AESGATE_FAULT("fault-silent-no-op", SilentNoOp, "a class of its own",
              "CFB8: calls of more than 16 bytes say ok and do nothing");

struct FlagsTaken : Good {};
/// What update_for() does on top.
aesgate_update_fn update_for_any_flags(const aesgate_backend* self, const aesgate_shape* shape) {
  aesgate_shape plain = *shape;
  plain.flags = 0;
  return Functions<FlagsTaken>::update_for(self, &plain);
}
constexpr Fault flags_taken = [] {
  Fault fault = make<FlagsTaken>("fault-flags-taken", group, "a class of its own",
                                 "update_for() takes shapes whose flags it does not know");
  fault.backend.update_for = update_for_any_flags;
  return fault;
}();
__attribute__((section("aesgate_faults"), used)) static const Fault* const listed_flags_taken = &flags_taken;

}  // namespace
}  // namespace aesgate::faults
