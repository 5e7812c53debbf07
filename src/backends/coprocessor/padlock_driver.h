#pragma once

#include <algorithm>
#include <cstring>

#include "backends/adapter.h"
#include "backends/coprocessor/padlock_schedule.h"
#include "core/secret.h"
#include "modes/portable_shifts.h"

// The driver of the PadLock unit (VIA C3 Nehemiah and later, Zhaoxin), which has ECB, CBC, CFB128 and OFB of its own:
// one instruction is a whole message. The unit has neither CFB1 nor CFB8; these, and the parts of CFB128 and OFB blocks
// at which a call begins or ends, go through modes/ with the unit's ECB as their cipher.
//
// What the unit wants is in the comments below, from VIA's "PadLock Programming Guide". PadlockRules has what published
// drivers got wrong: a driver is Padlock<Rules>, so that the tests can break one rule at a time.

namespace aesgate {

/// PadlockKey: the unit reads sixteen round keys from memory, whatever it needs of them.
template <unsigned Rounds>
struct PadlockKey {
  alignas(16) std::uint8_t bytes[16 * 16];
};

/// PadlockControl: the control word, whose first 32 bits count.
struct alignas(16) PadlockControl {
  std::uint32_t word[4];
};

/// Bits 3:0 the rounds, 6:4 the algorithm (0 is AES), 7 a key schedule by software, 8 an intermediate result, 9
/// decrypt, 11:10 the key size. The unit makes the schedule itself for keys of 128 bits alone.
template <unsigned Rounds>
constexpr PadlockControl padlock_control(bool decrypt) {
  constexpr std::uint32_t key_size = (Rounds - 10) / 2;
  return {{Rounds | (key_size != 0 ? 1u << 7 : 0) | (decrypt ? 1u << 9 : 0) | key_size << 10, 0, 0, 0}};
}
static_assert(padlock_control<10>(false).word[0] == 0x00a && padlock_control<12>(false).word[0] == 0x48c &&
              padlock_control<14>(true).word[0] == 0xa8e);

enum class PadlockMode : std::uint8_t { ecb = 0xc8, cbc = 0xd0, cfb = 0xe0, ofb = 0xe8 };

/// One run of the unit. All addresses but those in ECB's `chain` are multiples of 16; source may equal target.
struct PadlockRun {
  const std::uint8_t* source;
  std::uint8_t* target;
  std::size_t blocks;
  std::uint8_t* chain;  // the chaining value; not looked at in ECB
  const void* key;
  const PadlockControl* control;
};

/// PadlockRules: what a driver must mind.
struct PadlockRules {
  /// How many bytes of the page must follow the end of the source: the unit fetches ahead, on Nano stepping 2 eight
  /// blocks in ECB and four in CBC, and a page that is not there faults. What it does in CFB and OFB is not published.
  static constexpr std::size_t clear_in_ecb = 128;
  static constexpr std::size_t clear_in_chained = 64;

  /// Does this run need the key loaded anew? The unit keeps a key until EFLAGS is written to. Any other context may
  /// have used it since the last call, and a context's memory may hold another key than it did: keeping account of that
  /// across contexts and threads costs more, and has gone wrong more often, than the reload.
  static bool must_reload(const PadlockRun&, bool first_of_call) { return first_of_call; }

  /// How many blocks the unit is to do in the first of two runs, of which `planned` are its own out of `all`.
  static std::size_t first_run(std::size_t planned, [[maybe_unused]] std::size_t all) { return planned; }

  /// How many blocks CFB1 and CFB8 give to the unit at once.
  static constexpr unsigned segments_in_flight = 16;

  /// The software key schedule, for the cipher or its inverse.
  template <unsigned Rounds>
  static void expand(std::uint8_t* schedule, const std::uint8_t* key, bool inverse) {
    padlock_expand_key<Rounds>(schedule, key);
    if (inverse) padlock_invert_schedule<Rounds>(schedule);
  }
};

#if defined(__x86_64__) || defined(__i386__)

/// Runs the unit; returns its pointer to the next chaining value. Where that points is documented for CBC: to the last
/// block of the target in encryption, and to where it was in decryption. In CFB and OFB it may be either.
template <PadlockMode Mode>
[[gnu::noinline]] const std::uint8_t* padlock_xcrypt(PadlockRun run, bool reload) {
  // Writing EFLAGS, whatever the value, forgets the cached key. On x86-64 the stack pointer first leaves the red zone.
#if defined(__x86_64__)
#define AESGATE_RELOAD_KEY "lea -128(%%rsp), %%rsp\n\tpushfq\n\tpopfq\n\t"
#define AESGATE_RELOADED_KEY "\n\tlea 128(%%rsp), %%rsp"
#else
#define AESGATE_RELOAD_KEY "pushfl\n\tpopfl\n\t"
#define AESGATE_RELOADED_KEY ""
#endif
  if (reload) {
    asm volatile(AESGATE_RELOAD_KEY ".byte 0xf3, 0x0f, 0xa7, %c[mode]" AESGATE_RELOADED_KEY
                 : "+S"(run.source), "+D"(run.target), "+c"(run.blocks), "+a"(run.chain)
                 : "b"(run.key), "d"(run.control), [mode] "i"(static_cast<int>(Mode))
                 : "memory", "cc");
  } else {
    asm volatile(".byte 0xf3, 0x0f, 0xa7, %c[mode]"
                 : "+S"(run.source), "+D"(run.target), "+c"(run.blocks), "+a"(run.chain)
                 : "b"(run.key), "d"(run.control), [mode] "i"(static_cast<int>(Mode))
                 : "memory", "cc");
  }
#undef AESGATE_RELOAD_KEY
#undef AESGATE_RELOADED_KEY
  return run.chain;
}

/// PadlockEngine: an Engine (modes/engine.h) over the unit's ECB, whose two outer AddRoundKeys are the unit's too, so
/// that the keys which the modes add are zero.
template <typename Rules>
struct PadlockEngine {
  template <unsigned Rounds>
  using Keys = PadlockKey<Rounds>;

  struct Block {
    std::uint8_t bytes[16];
  };

  struct Single : PortableShifts<Single, Block> {
    using Vector = Block;
    using Narrower = void;
    static constexpr unsigned lanes = 1;
    static constexpr unsigned in_flight = Rules::segments_in_flight;
    static constexpr unsigned smallest = 1;

    static Block load(const std::uint8_t* p) {
      Block x;
      std::memcpy(x.bytes, p, 16);
      return x;
    }
    static void store(std::uint8_t* p, const Block& x) { std::memcpy(p, x.bytes, 16); }
    static Block exclusive_or(const Block& a, const Block& b) {
      Block x;
      for (unsigned i = 0; i < 16; ++i) x.bytes[i] = static_cast<std::uint8_t>(a.bytes[i] ^ b.bytes[i]);
      return x;
    }
    template <unsigned Rounds>
    static Block first_key(const PadlockKey<Rounds>&) {
      return {};
    }
    template <unsigned Rounds>
    static Block last_key(const PadlockKey<Rounds>&) {
      return {};
    }

    template <unsigned N, unsigned Rounds, typename Operand>
    static void encrypt(const PadlockKey<Rounds>& keys, Block (&x)[N], Operand operand) {
      static constexpr PadlockControl control = padlock_control<Rounds>(false);
      alignas(16) std::uint8_t blocks[16 * N + Rules::clear_in_ecb];
      for (unsigned i = 0; i < N; ++i) store(blocks + 16 * i, x[i]);
      const PadlockRun run{blocks, blocks, N, nullptr, keys.bytes, &control};
      padlock_xcrypt<PadlockMode::ecb>(run, Rules::must_reload(run, true));
      for (unsigned i = 0; i < N; ++i) x[i] = exclusive_or(load(blocks + 16 * i), operand(i));
    }
  };
  using Widest = Single;
};

/// Padlock: one mode of the unit, in one direction and key size.
template <typename Rules, PadlockMode Mode, unsigned Rounds, bool Decrypt>
struct Padlock {
  using Engine = PadlockEngine<Rules>;
  using Keys = PadlockKey<Rounds>;

  /// ECB and CBC.
  static int update_blocks(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    if (length % 16 != 0) return AESGATE_BAD_ARGUMENT;
    run_all(context, in, out, length / 16);
    return AESGATE_OK;
  }

  /// CFB128 and OFB.
  static int update_bytes(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    const std::size_t used = static_cast<Context<Keys>*>(context)->head.used;
    const std::size_t head = std::min(used == 0 ? 0 : 16 - used, length);
    const std::size_t whole = (length - head) / 16 * 16;
    if (head != 0) update_part(context, in, out, head);
    run_all(context, in + head, out + head, whole / 16);
    if (head + whole != length) update_part(context, in + head + whole, out + head + whole, length - head - whole);
    return AESGATE_OK;
  }

 private:
  static constexpr bool is_ecb = Mode == PadlockMode::ecb;
  static constexpr std::size_t clear = is_ecb ? Rules::clear_in_ecb : Rules::clear_in_chained;
  static constexpr std::size_t bounce_blocks = 32;

  // OFB is the same in both directions, and the unit takes the direction for the cipher's.
  static constexpr PadlockControl control = padlock_control<Rounds>(Decrypt && Mode != PadlockMode::ofb);

  static void update_part(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    if constexpr (Mode == PadlockMode::ofb)
      Ofb<Engine, Rounds>::update(context, in, out, length);
    else
      Cfb128<Engine, Rounds, Decrypt>::update(context, in, out, length);
  }

  static void run_all(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) {
    if (blocks == 0) return;
    auto& [head, keys] = *static_cast<Context<Keys>*>(context);
    bool first = true;
    const auto run = [&, &h = head, &k = keys](const std::uint8_t* source, std::uint8_t* target, std::size_t count) {
      const PadlockRun r{source, target, count, h.chain, k.bytes, &control};
      const std::uint8_t* chain = padlock_xcrypt<Mode>(r, Rules::must_reload(r, first));
      if constexpr (!is_ecb) std::memmove(h.chain, chain, sizeof h.chain);
      first = false;
    };
    const std::size_t direct = direct_blocks(in, out, blocks);
    if (direct != 0) run(in, out, Rules::first_run(direct, blocks));
    if (direct == blocks) return;
    // The rest: what is not aligned, or too near to the end of a page, by way of memory that is neither.
    alignas(16) std::uint8_t bounce[16 * bounce_blocks + clear];
    for (std::size_t at = direct; at < blocks;) {
      const std::size_t count = std::min(blocks - at, bounce_blocks);
      std::memcpy(bounce, in + 16 * at, 16 * count);
      run(bounce, bounce, count);
      std::memcpy(out + 16 * at, bounce, 16 * count);
      at += count;
    }
    wipe(bounce, 16 * std::min(blocks - direct, bounce_blocks));
  }

  /// How many blocks, from the first one on, the unit can take from where they are and put where they go.
  static std::size_t direct_blocks(const std::uint8_t* in, const std::uint8_t* out, std::size_t blocks) {
    constexpr std::uintptr_t page = 4096;  // the smallest there is
    const auto source = reinterpret_cast<std::uintptr_t>(in);
    if ((source | reinterpret_cast<std::uintptr_t>(out)) % 16 != 0) return 0;
    const std::size_t after = (0 - (source + 16 * blocks)) % page;
    const std::size_t too_near = after < clear ? (clear - after) / 16 : 0;
    return too_near < blocks ? blocks - too_near : 0;
  }
};

/// A key as the unit takes it: raw with 128 bits, else a schedule.
template <typename Rules, unsigned Rounds, bool Inverse>
void padlock_expand(void* keys, const std::uint8_t* key) {
  auto& bytes = static_cast<PadlockKey<Rounds>*>(keys)->bytes;
  std::memset(bytes, 0, sizeof bytes);
  if constexpr (Rounds == 10)
    std::memcpy(bytes, key, 16);
  else
    Rules::template expand<Rounds>(bytes, key, Inverse);
}

/// All that adapter.cpp wants to know of Padlock<Rules, …>.
template <typename Rules>
constexpr EngineTable make_padlock_table() {
  using E = PadlockEngine<Rules>;
  EngineTable table{};
  const auto add = [&table]<unsigned Rounds>() {
    constexpr unsigned i = (Rounds - 10) / 2;
    using enum PadlockMode;
    const aesgate_update_fn update[6][2] = {
        {Padlock<Rules, ecb, Rounds, false>::update_blocks, Padlock<Rules, ecb, Rounds, true>::update_blocks},
        {Padlock<Rules, cbc, Rounds, false>::update_blocks, Padlock<Rules, cbc, Rounds, true>::update_blocks},
        {Cfb1Encrypt<E, Rounds>::update, Cfb1Decrypt<E, Rounds>::update},
        {Cfb8Encrypt<E, Rounds>::update, Cfb8Decrypt<E, Rounds>::update},
        {Padlock<Rules, cfb, Rounds, false>::update_bytes, Padlock<Rules, cfb, Rounds, true>::update_bytes},
        {Padlock<Rules, ofb, Rounds, false>::update_bytes, Padlock<Rules, ofb, Rounds, true>::update_bytes}};
    for (unsigned mode = 0; mode < 6; ++mode)
      for (unsigned direction = 0; direction < 2; ++direction)
        table.update[mode][direction][i] = update[mode][direction];
    table.expand[0][i] = padlock_expand<Rules, Rounds, false>;
    table.expand[1][i] = padlock_expand<Rules, Rounds, true>;
    table.keys_size[i] = sizeof(PadlockKey<Rounds>);
  };
  add.template operator()<10>();
  add.template operator()<12>();
  add.template operator()<14>();
  return table;
}

template <typename Rules>
constexpr EngineTable padlock_table = make_padlock_table<Rules>();

/// start() for a unit that is there.
inline int padlock_start(const aesgate_backend* self, void* context, const aesgate_shape* shape,
                         const std::uint8_t* key, const std::uint8_t* iv) {
  const int status = adapter::start(self, context, shape, key, iv);
  if (status != AESGATE_OK) return status;
  // The chaining value is the unit's, which adds the first round key itself.
  std::memset(static_cast<ContextHead*>(context)->whitening, 0, sizeof(ContextHead::whitening));
  return adapter::restart(context, iv);
}

template <typename Rules>
constexpr aesgate_backend make_padlock(const char* name, const char* description,
                                       decltype(aesgate_backend::probe) probe, decltype(aesgate_backend::start) start) {
  return {
      .abi_version = AESGATE_ABI_VERSION,
      .struct_size = sizeof(aesgate_backend),
      .name = name,
      .kind = "coprocessor",
      .unit = "xcrypt",
      .description = description,
      .data = &padlock_table<Rules>,
      .configure = nullptr,
      .probe = probe,
      .update_for = adapter::update_for,
      .context_size = adapter::context_size,
      .context_align = alignof(ContextHead),
      .start = start,
      .restart = adapter::restart,
      .chaining_value = adapter::chaining_value,
      .finish = adapter::finish,
  };
}

#endif

}  // namespace aesgate
