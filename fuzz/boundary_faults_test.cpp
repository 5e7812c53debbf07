// Faults that real backends had, or that hide where only some of these meet: a length, a split, in place, an address, a
// byte. The boundary Cases find each of them, whatever the seed.

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "core/execute.h"
#include "core/judge.h"
#include "fuzz/boundary_cases.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

/// What is known at a call, and what may go wrong around it.
struct Call {
  Shape shape;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t length;
  std::size_t position;  // the units of the calls before
  const std::uint8_t *context, *key, *iv;

  [[nodiscard]] std::size_t blocks() const { return length / 16; }
  [[nodiscard]] bool whole() const { return length % 16 == 0; }
  [[nodiscard]] bool in_place() const { return in == out; }
  [[nodiscard]] std::size_t carried() const { return position % 16; }
};

std::size_t address(const std::uint8_t* byte) { return reinterpret_cast<std::uintptr_t>(byte); }

/// A fault: `strikes` says at which calls, and `what` is what then goes wrong.
struct Fault {
  const char* name;
  Shape shape;
  std::function<bool(const Call&)> strikes;
  enum class What {
    last_byte,       // of the output is wrong
    last_block,      // of the output is not written
    reads_past,      // the end of the input, by a byte
    reads_before,    // its start
    chaining_value,  // is that from before the call
  } what = What::last_byte;
};

const Fault* planted_fault = nullptr;

/// What stands in front of the inner backend's context.
struct alignas(16) Header {
  aesgate_update_fn update;
  Shape shape;
  const std::uint8_t *key, *iv;
  std::size_t position;
  bool stale;
  std::uint8_t old_chaining_value[16];
};

const aesgate_backend& inner() { return cryptopp_oracle(); }
void* inner_context(void* context) { return static_cast<std::uint8_t*>(context) + sizeof(Header); }

int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  auto& header = *static_cast<Header*>(context);
  const Call call{header.shape, in,       out, length, header.position, static_cast<std::uint8_t*>(context),
                  header.key,   header.iv};
  if (!takes_length(header.shape.mode, length) || length == 0)
    return header.update(inner_context(context), in, out, length);
  const bool strikes = planted_fault->strikes(call);
  const auto what = planted_fault->what;
  const std::size_t bytes = bytes_for(header.shape.mode, length);
  std::uint8_t before[16] = {};
  if (bytes >= 16) std::memcpy(before, out + bytes - 16, 16);
  // Within a block there is none: then it is the one before that block.
  std::uint8_t now[16];
  if (inner().chaining_value(inner_context(context), now) == AESGATE_OK)
    std::memcpy(header.old_chaining_value, now, sizeof now);
  header.stale = strikes && what == Fault::What::chaining_value;
  if (strikes && what == Fault::What::reads_past) (void)*static_cast<const volatile std::uint8_t*>(in + bytes);
  if (strikes && what == Fault::What::reads_before) (void)*static_cast<const volatile std::uint8_t*>(in - 1);
  const int status = header.update(inner_context(context), in, out, length);
  header.position += length;
  if (strikes && what == Fault::What::last_byte) out[bytes - 1] ^= 0x80;
  if (strikes && what == Fault::What::last_block) std::memcpy(out + bytes - 16, before, 16);
  return status;
}

int chaining_value(const void* context, std::uint8_t iv[16]) {
  const auto& header = *static_cast<const Header*>(context);
  const int status = inner().chaining_value(static_cast<const std::uint8_t*>(context) + sizeof(Header), iv);
  if (status == AESGATE_OK && header.stale) std::memcpy(iv, header.old_chaining_value, 16);
  return status;
}

const aesgate_backend& faulty() {
  static const aesgate_backend backend = [] {
    aesgate_backend b = inner();
    b.name = "faulty";
    b.context_align = std::max(b.context_align, alignof(Header));
    b.restart = nullptr;
    b.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
      return inner().update_for(&inner(), shape) == nullptr ? nullptr : &update;
    };
    b.context_size = [](const aesgate_backend*, const aesgate_shape* shape) {
      return sizeof(Header) + inner().context_size(&inner(), shape);
    };
    b.start = [](const aesgate_backend*, void* context, const aesgate_shape* shape, const std::uint8_t* key,
                 const std::uint8_t* iv) {
      const Shape of{Mode{shape->mode}, Direction{shape->direction}, KeySize{shape->key_bits}};
      new (context) Header{inner().update_for(&inner(), shape), of, key, iv, 0, false, {}};
      return inner().start(&inner(), inner_context(context), shape, key, iv);
    };
    b.chaining_value = &chaining_value;
    b.finish = [](void* context) { inner().finish(inner_context(context)); };
    return b;
  }();
  return backend;
}

/// How many of the boundary Cases of a shape fail on the backend with a fault.
std::size_t failures(const Fault& fault) {
  planted_fault = &fault;
  const BoundaryLattice& lattice = boundary_lattice(fault.shape.mode, Effort::quick);
  std::size_t failures = 0;
  for (std::size_t number = 0; number < lattice.points.size() && failures < 3; ++number) {
    const auto [c, answer] = boundary_case(fault.shape, number, Effort::quick);
    EXPECT_TRUE(answer) << answer.error().message;
    if (!answer) return 0;
    failures += is_failure(judge(c, execute(faulty(), c), *answer).verdict);
  }
  return failures;
}

constexpr Shape ecb{Mode::ecb, Direction::encrypt, KeySize::bits128};
constexpr Shape cbc{Mode::cbc, Direction::encrypt, KeySize::bits192};
constexpr Shape cbc_decrypt{Mode::cbc, Direction::decrypt, KeySize::bits256};
constexpr Shape cfb{Mode::cfb128, Direction::encrypt, KeySize::bits256};
constexpr Shape cfb_decrypt{Mode::cfb128, Direction::decrypt, KeySize::bits128};
constexpr Shape cfb1{Mode::cfb1, Direction::decrypt, KeySize::bits128};
constexpr Shape cfb8{Mode::cfb8, Direction::decrypt, KeySize::bits256};
constexpr Shape ofb{Mode::ofb, Direction::encrypt, KeySize::bits192};

using What = Fault::What;

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      // Lengths and over-reads.
      {"the last block of the last six is not written (CVE-2022-2097)", ecb,
       [](const Call& c) { return c.blocks() >= 6 && c.blocks() % 6 == 0; }, What::last_block},
      {"an over-read at 4 mod 5 blocks (CVE-2023-1255)", ecb, [](const Call& c) { return c.blocks() % 5 == 4; },
       What::reads_past},
      {"a partial block that this call cannot fill is read to its end (CVE-2026-28386)", cfb_decrypt,
       [](const Call& c) { return c.carried() > 0 && c.carried() + c.length < 16; }, What::reads_past},
      {"the last partial block is read whole", ofb, [](const Call& c) { return !c.whole(); }, What::reads_past},
      {"a byte before the input is read from 32 blocks on", cbc_decrypt, [](const Call& c) { return c.blocks() >= 32; },
       What::reads_before},
      {"wrong at 13 blocks", cbc, [](const Call& c) { return c.blocks() == 13; }},
      {"wrong past 4 KiB", cfb, [](const Call& c) { return c.length > 4096; }},
      {"wrong at 64 KiB", cbc, [](const Call& c) { return c.length >= 65536; }},
      {"wrong at 511 bits and more", cfb1, [](const Call& c) { return c.length >= 511; }},
      {"wrong at 65 bytes", cfb8, [](const Call& c) { return c.length == 65; }},
      // Chaining values.
      {"a tail of 2 or 3 blocks leaves the chaining value as it was", cbc_decrypt,
       [](const Call& c) { return c.blocks() > 8 && c.blocks() % 4 >= 2; }, What::chaining_value},
      {"the chaining value is that of the call before if that filled a block", ofb,
       [](const Call& c) { return c.carried() > 0 && c.carried() + c.length == 16; }, What::chaining_value},
      // Carries, one pair each.
      {"13 bytes left, then 4 of the next block", cfb_decrypt,
       [](const Call& c) { return c.carried() == 13 && (c.position + c.length) % 16 == 4; }},
      {"1 byte left, then exactly filled", cfb, [](const Call& c) { return c.carried() == 1 && c.length == 15; }},
      {"15 bytes left, then 32 blocks and more", ofb,
       [](const Call& c) { return c.carried() == 15 && c.blocks() >= 32; }},
      {"5 bits left in a byte, then 2", cfb1, [](const Call& c) { return c.position % 8 == 5 && c.length == 2; }},
      // Addresses.
      {"input at 9 mod 16", cbc, [](const Call& c) { return address(c.in) % 16 == 9; }},
      {"input at 33 mod 64", ecb, [](const Call& c) { return address(c.in) % 64 == 33; }},
      {"output at 47 mod 64", ofb, [](const Call& c) { return address(c.out) % 64 == 47; }},
      {"key at 3 mod 8", cfb8, [](const Call& c) { return address(c.key) % 8 == 3; }},
      {"IV at 12 mod 16", cbc_decrypt, [](const Call& c) { return address(c.iv) % 16 == 12; }},
      {"context aligned to no more than it asks for", cfb, [](const Call& c) { return address(c.context) % 32 != 0; }},
      // Where several meet.
      {"decryption in place, from 2 blocks on", cbc_decrypt,
       [](const Call& c) { return c.in_place() && c.blocks() >= 2; }},
      {"unaligned, and 8 blocks, and in place, and after a partial block", cfb_decrypt,
       [](const Call& c) { return address(c.in) % 16 != 0 && c.blocks() >= 8 && c.in_place() && c.carried() > 0; }},
      {"input and output aligned differently, from 16 blocks on, with a tail", ofb,
       [](const Call& c) { return (address(c.in) ^ address(c.out)) % 16 != 0 && c.blocks() >= 16 && !c.whole(); }},
      {"in place, second call, 17 blocks", cbc,
       [](const Call& c) { return c.in_place() && c.position > 0 && c.blocks() == 17; }},
      // Contents.
      {"one value of one byte of a block", ecb, [](const Call& c) { return c.blocks() == 1 && c.in[7] == 0xa5; }},
      {"blocks with nothing but zeros", cfb,
       [](const Call& c) {
         return c.whole() && std::all_of(c.in, c.in + c.length, [](int byte) { return byte == 0; });
       }},
  };
  return all;
}

class BoundaryFaults : public testing::TestWithParam<std::size_t> {};

TEST_P(BoundaryFaults, are_found) {
  const Fault& fault = faults()[GetParam()];
  EXPECT_GT(failures(fault), 0u) << fault.name;
}

INSTANTIATE_TEST_SUITE_P(each, BoundaryFaults, testing::Range(std::size_t{0}, faults().size()));

TEST(BoundaryFaults, a_backend_without_one_is_not_accused) {
  for (const Shape& shape : {ecb, cbc, cbc_decrypt, cfb, cfb_decrypt, cfb1, cfb8, ofb})
    EXPECT_EQ(failures({"none", shape, [](const Call&) { return false; }}), 0u) << name(shape);
}

}  // namespace
}  // namespace aesgate
