// The modes of SP 800-38A, spelled out from the text over fips197.h, with the standard's letters: P plaintext, C
// ciphertext, I the input block and O the output block of the forward cipher, # a segment.

#include <cstring>
#include <new>

#include "abi/aesgate_backend.h"
#include "core/secret.h"
#include "oracle/fips197.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

struct Context {
  fips197::KeySchedule schedule;
  std::uint32_t mode;
  bool encrypts;
  Block I;           // the IV first; in CBC, what the next plaintext block is added to
  Block O;           // in CFB128 and OFB, the output block that is in use in the middle of a segment
  std::size_t used;  // bytes of it that are used up, 0..15
};

void copy(std::uint8_t* to, const std::uint8_t* from) { std::memcpy(to, from, block_bytes); }

std::uint8_t sum(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a ^ b); }

Context& context_of(void* context) { return *static_cast<Context*>(context); }

// Section 6.1: C_j = CIPH_K(P_j), P_j = CIPH^-1_K(C_j).
int update_ecb(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  if (length % block_bytes != 0) return AESGATE_BAD_ARGUMENT;
  const Context& c = context_of(context);
  for (std::size_t at = 0; at < length; at += block_bytes)
    c.encrypts ? fips197::Cipher(in + at, out + at, c.schedule) : fips197::InvCipher(in + at, out + at, c.schedule);
  return AESGATE_OK;
}

// Section 6.2: C_1 = CIPH_K(P_1 ^ IV), C_j = CIPH_K(P_j ^ C_j-1).
int encrypt_cbc(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  if (length % block_bytes != 0) return AESGATE_BAD_ARGUMENT;
  Context& c = context_of(context);
  for (std::size_t at = 0; at < length; at += block_bytes) {
    for (std::size_t i = 0; i < block_bytes; ++i) c.I[i] = sum(c.I[i], in[at + i]);
    fips197::Cipher(c.I.data(), c.I.data(), c.schedule);
    copy(out + at, c.I.data());
  }
  return AESGATE_OK;
}

// Section 6.2: P_1 = CIPH^-1_K(C_1) ^ IV, P_j = CIPH^-1_K(C_j) ^ C_j-1.
int decrypt_cbc(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  if (length % block_bytes != 0) return AESGATE_BAD_ARGUMENT;
  Context& c = context_of(context);
  for (std::size_t at = 0; at < length; at += block_bytes) {
    Block C, P;
    copy(C.data(), in + at);  // before P_j takes its place, when out is in
    fips197::InvCipher(C.data(), P.data(), c.schedule);
    for (std::size_t i = 0; i < block_bytes; ++i) out[at + i] = sum(P[i], c.I[i]);
    c.I = C;
  }
  return AESGATE_OK;
}

// Section 6.3 with s = 1: I_j = LSB_127(I_j-1) | C#_j-1, C#_j = P#_j ^ MSB_1(CIPH_K(I_j)).
int update_cfb1(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  Context& c = context_of(context);
  for (std::size_t j = 0; j < length; ++j) {
    Block O;
    fips197::Cipher(c.I.data(), O.data(), c.schedule);
    const unsigned shift = 7 - j % 8;
    const unsigned taken = (in[j / 8] >> shift) & 1u;
    const unsigned given = taken ^ (O[0] >> 7);
    const unsigned C = c.encrypts ? given : taken;
    out[j / 8] = static_cast<std::uint8_t>((out[j / 8] & ~(1u << shift)) | (given << shift));
    for (std::size_t i = 0; i < block_bytes; ++i) {
      const unsigned next = i + 1 < block_bytes ? c.I[i + 1] >> 7u : C;
      c.I[i] = static_cast<std::uint8_t>((c.I[i] * 2u) | next);
    }
  }
  return AESGATE_OK;
}

// Section 6.3 with s = 8: I_j = LSB_120(I_j-1) | C#_j-1, C#_j = P#_j ^ MSB_8(CIPH_K(I_j)).
int update_cfb8(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  Context& c = context_of(context);
  for (std::size_t j = 0; j < length; ++j) {
    Block O;
    fips197::Cipher(c.I.data(), O.data(), c.schedule);
    const std::uint8_t taken = in[j];
    out[j] = sum(taken, O[0]);
    std::memmove(c.I.data(), c.I.data() + 1, block_bytes - 1);
    c.I.back() = c.encrypts ? out[j] : taken;
  }
  return AESGATE_OK;
}

// Section 6.3 with s = 128: I_j = C_j-1, C_j = P_j ^ CIPH_K(I_j). Byte by byte, since a call may end within a segment;
// its ciphertext gathers in I, which is free once O is there.
int update_cfb128(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  Context& c = context_of(context);
  for (std::size_t at = 0; at < length; ++at) {
    if (c.used == 0) fips197::Cipher(c.I.data(), c.O.data(), c.schedule);
    const std::uint8_t taken = in[at];
    out[at] = sum(taken, c.O[c.used]);
    c.I[c.used] = c.encrypts ? out[at] : taken;
    c.used = (c.used + 1) % block_bytes;
  }
  return AESGATE_OK;
}

// Section 6.4: I_j = O_j-1, C_j = P_j ^ CIPH_K(I_j); the last block may be short: C*_n = P*_n ^ MSB_u(O_n).
int update_ofb(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  Context& c = context_of(context);
  for (std::size_t at = 0; at < length; ++at) {
    if (c.used == 0) {
      fips197::Cipher(c.I.data(), c.O.data(), c.schedule);
      c.I = c.O;
    }
    out[at] = sum(in[at], c.O[c.used]);
    c.used = (c.used + 1) % block_bytes;
  }
  return AESGATE_OK;
}

aesgate_update_fn update_for(const aesgate_backend*, const aesgate_shape* shape) {
  if (shape->flags != 0 || shape->direction > AESGATE_DECRYPT) return nullptr;
  if (shape->key_bits != 128 && shape->key_bits != 192 && shape->key_bits != 256) return nullptr;
  switch (shape->mode) {
    case AESGATE_ECB: return update_ecb;
    case AESGATE_CBC: return shape->direction == AESGATE_ENCRYPT ? encrypt_cbc : decrypt_cbc;
    case AESGATE_CFB1: return update_cfb1;
    case AESGATE_CFB8: return update_cfb8;
    case AESGATE_CFB128: return update_cfb128;
    case AESGATE_OFB: return update_ofb;
    default: return nullptr;
  }
}

int probe(const aesgate_backend*, char*, std::size_t) { return AESGATE_OK; }

std::size_t context_size(const aesgate_backend*, const aesgate_shape*) { return sizeof(Context); }

int restart(void* context, const std::uint8_t* iv) {
  Context& c = context_of(context);
  if (c.mode != AESGATE_ECB) copy(c.I.data(), iv);
  c.used = 0;
  return AESGATE_OK;
}

int start(const aesgate_backend*, void* context, const aesgate_shape* shape, const std::uint8_t* key,
          const std::uint8_t* iv) {
  // In one expression, so that the key schedule is made in its place and no copy stays on the stack.
  new (context) Context{.schedule = fips197::KeyExpansion(key, shape->key_bits),
                        .mode = shape->mode,
                        .encrypts = shape->direction == AESGATE_ENCRYPT,
                        .I = {},
                        .O = {},
                        .used = 0};
  return restart(context, iv);
}

int chaining_value(const void* context, std::uint8_t iv[16]) {
  const Context& c = *static_cast<const Context*>(context);
  if (c.mode == AESGATE_ECB || c.used != 0) return AESGATE_UNSUPPORTED;
  copy(iv, c.I.data());
  return AESGATE_OK;
}

void finish(void* context) { wipe(context, sizeof(Context)); }

constexpr aesgate_backend backend{
    .abi_version = AESGATE_ABI_VERSION,
    .struct_size = sizeof(aesgate_backend),
    .name = "oracle-fips197",
    .kind = "software",
    .unit = "none",
    .description = "FIPS-197 and SP 800-38A spelled out from the text",
    .data = nullptr,
    .configure = nullptr,
    .probe = probe,
    .update_for = update_for,
    .context_size = context_size,
    .context_align = alignof(Context),
    .start = start,
    .restart = restart,
    .chaining_value = chaining_value,
    .finish = finish,
};

}  // namespace

const aesgate_backend& fips197_oracle() { return backend; }

}  // namespace aesgate
