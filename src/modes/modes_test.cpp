// The modes over engines of other forms than those in src/backends: several lanes, Widths that become narrower, and
// steps that are always full. Each engine is AES through the sbox backend, so that only its form is new.

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/adapter.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/registry.h"
#include "core/session.h"
#include "modes/portable_shifts.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

const aesgate_backend& sbox() { return *find_backend("sbox").value(); }

/// What stands for a key schedule: the sbox backend gets the key, and the two outer round keys are what an engine says.
struct Cipher {
  std::array<std::uint8_t, 32> key;
  Block first, last;  // in order of use
};

void exclusive_or_block(std::uint8_t* a, const std::uint8_t* b) {
  for (std::size_t i = 0; i < block_bytes; ++i) a[i] ^= b[i];
}

/// All of AES but the two outer round keys that the engine claims: they are taken off here, and the mode adds them.
template <unsigned Rounds>
void cipher_without_outer_keys(const Cipher& cipher, Direction direction, std::uint8_t* block) {
  exclusive_or_block(block, cipher.first.data());
  Session session(sbox(), Shape{Mode::ecb, direction, KeySize{(Rounds - 6) * 32}});
  EXPECT_EQ(session.start(cipher.key.data(), nullptr), Status::ok);
  EXPECT_EQ(session.update(block, block, block_bytes), Status::ok);
  exclusive_or_block(block, cipher.last.data());
}

/// A mode may rely on nothing but first_key() and last_key(), so any last round key serves; the first one of the cipher
/// is the first block of the key, which adapter.cpp relies on.
template <unsigned Rounds>
void make_cipher(Cipher& cipher, const std::uint8_t* key, Direction direction) {
  std::copy_n(key, 4 * (Rounds - 6), cipher.key.begin());
  std::copy_n(key, block_bytes, cipher.first.begin());
  for (std::size_t i = 0; i < block_bytes; ++i) cipher.last[i] = static_cast<std::uint8_t>(0xa5 ^ key[i] ^ i);
  if (direction == Direction::decrypt) std::swap(cipher.first, cipher.last);
}

template <unsigned Lanes>
struct Blocks {
  std::array<std::uint8_t, 16 * Lanes> bytes;
};

template <unsigned Lanes, unsigned InFlight, unsigned Smallest, typename NarrowerWidth>
struct TestWidthBase {
  using Vector = Blocks<Lanes>;
  using Narrower = NarrowerWidth;
  static constexpr unsigned lanes = Lanes;
  static constexpr unsigned in_flight = InFlight;
  static constexpr unsigned smallest = Smallest;

  static Vector load(const std::uint8_t* p) {
    Vector x;
    std::copy_n(p, x.bytes.size(), x.bytes.begin());
    return x;
  }
  static void store(std::uint8_t* p, const Vector& x) { std::ranges::copy(x.bytes, p); }
  static Vector exclusive_or(Vector a, const Vector& b) {
    for (std::size_t i = 0; i < a.bytes.size(); ++i) a.bytes[i] ^= b.bytes[i];
    return a;
  }
  static Vector repeat(const Block& block) {
    Vector x;
    for (std::size_t i = 0; i < x.bytes.size(); ++i) x.bytes[i] = block[i % block_bytes];
    return x;
  }
  template <typename Keys>
  static Vector first_key(const Keys& keys) {
    return repeat(keys.cipher.first);
  }
  template <typename Keys>
  static Vector last_key(const Keys& keys) {
    return repeat(keys.cipher.last);
  }

  template <unsigned N, typename Keys, typename Operand>
  static void run(const Keys& keys, Direction direction, Vector (&x)[N], Operand operand) {
    static_assert(N % Smallest == 0);
    for (unsigned i = 0; i < N; ++i) {
      for (unsigned lane = 0; lane < Lanes; ++lane)
        cipher_without_outer_keys<Keys::rounds>(keys.cipher, direction, x[i].bytes.data() + 16 * lane);
      x[i] = exclusive_or(x[i], operand(i));
    }
  }
  template <unsigned N, typename Keys, typename Operand>
  static void encrypt(const Keys& keys, Vector (&x)[N], Operand operand) {
    run(keys, Direction::encrypt, x, operand);
  }
  template <unsigned N, typename Keys, typename Operand>
  static void decrypt(const Keys& keys, Vector (&x)[N], Operand operand) {
    run(keys, Direction::decrypt, x, operand);
  }
};

template <unsigned Lanes, unsigned InFlight, unsigned Smallest, typename NarrowerWidth>
struct TestWidth : TestWidthBase<Lanes, InFlight, Smallest, NarrowerWidth> {
  using Vector = Blocks<Lanes>;
  static Vector load_after(const std::uint8_t* before, const std::uint8_t* p) {
    Vector x;
    std::copy_n(before, block_bytes, x.bytes.begin());
    std::copy_n(p, 16 * (Lanes - 1), x.bytes.begin() + block_bytes);
    return x;
  }
  static Vector load_windows(const std::uint8_t* p) {
    Vector x;
    for (unsigned lane = 0; lane < Lanes; ++lane) std::copy_n(p + lane, block_bytes, x.bytes.begin() + 16 * lane);
    return x;
  }
};

template <unsigned InFlight, unsigned Smallest>
struct TestWidth<1, InFlight, Smallest, void> : TestWidthBase<1, InFlight, Smallest, void>,
                                                PortableShifts<TestWidth<1, InFlight, Smallest, void>, Blocks<1>> {};

template <typename WidestWidth>
struct TestEngine {
  template <unsigned Rounds>
  struct Keys {
    static constexpr unsigned rounds = Rounds;
    Cipher cipher;
  };
  using Single = TestWidth<1, 1, 1, void>;
  using Widest = WidestWidth;

  template <unsigned Rounds>
  static void expand_encrypt(Keys<Rounds>& keys, const std::uint8_t* key) {
    make_cipher<Rounds>(keys.cipher, key, Direction::encrypt);
  }
  template <unsigned Rounds>
  static void expand_decrypt(Keys<Rounds>& keys, const std::uint8_t* key) {
    make_cipher<Rounds>(keys.cipher, key, Direction::decrypt);
  }
};

using LikeVaes512 = TestEngine<TestWidth<4, 8, 1, TestWidth<2, 4, 1, TestWidth<1, 4, 1, void>>>>;
using LikeBitslice = TestEngine<TestWidth<4, 4, 4, TestWidth<1, 4, 4, void>>>;
using OneFullStep = TestEngine<TestWidth<1, 8, 8, void>>;
using OddInFlight = TestEngine<TestWidth<2, 6, 2, TestWidth<1, 3, 1, void>>>;

template <typename Engine>
class EngineForm : public ::testing::Test {};

using Forms = ::testing::Types<LikeVaes512, LikeBitslice, OneFullStep, OddInFlight>;
TYPED_TEST_SUITE(EngineForm, Forms);

TYPED_TEST(EngineForm, agrees_with_the_oracles_at_every_number_of_blocks) {
  static constexpr aesgate_backend backend = adapt<TypeParam>("test", "software", "none", "of another form");
  for (const Shape& shape : all_shapes()) {
    SCOPED_TRACE(name(shape));
    Bytes key(key_bytes(shape.key_size));
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(41 * i + 3);
    for (std::size_t units = 0; units <= 40; ++units) {
      const std::size_t length = units * segment_units(shape.mode) + (shape.mode == Mode::cfb128 ? units % 3 : 0);
      Bytes input(bytes_for(shape.mode, length));
      for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint8_t>(i * i + 7 * i + units);
      Case c = make_case(shape, Key::from(key).value(), Block{1, 2, 3}, input, length);
      c.placement.in_place = units % 2 == 1;
      c.placement.input = c.placement.output = {Spot::Edge::end, 0};
      const auto answer = ask(c);
      ASSERT_TRUE(answer) << answer.error().message;
      const Judgement judgement = judge(c, execute(backend, c), *answer);
      ASSERT_EQ(judgement.verdict, Verdict::agree) << judgement.reason << ", " << units << " units";
    }
  }
}

}  // namespace
}  // namespace aesgate
