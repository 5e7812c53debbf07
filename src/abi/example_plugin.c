/* example_plugin.c: a complete backend for aesgate in C99, to be copied: AES (FIPS-197) in all six modes of
 * SP 800-38A, three key sizes and both directions. It is short and plain, not fast, and its time depends on the key.
 *
 *     cc -std=c99 -O2 -shared -fPIC -I src/abi -o libexample_plugin.so src/abi/example_plugin.c
 *     aesgate verify --plugin ./libexample_plugin.so
 *
 * aesgate_backend.h has the rules; comments here say where each is kept. There is no global state, so that
 * any number of threads may call at once.
 */
#include "aesgate_backend.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 16, LARGEST_ROUNDS = 14 };

/* One message under one key. The caller allocates it and never looks inside. */
struct context {
  uint8_t sbox[256], inverse_sbox[256];            /* empty in the variant "sbox=computed" */
  uint8_t round_key[LARGEST_ROUNDS + 1][BLOCK];
  unsigned rounds;                                 /* 10, 12 or 14 */
  unsigned mode;
  int computed;
  uint8_t chain[BLOCK];                            /* what the next block is chained to; the IV at first */
  uint8_t keystream[BLOCK];                        /* CFB128 */
  unsigned used;                                   /* bytes of the block that are done, in CFB128 and OFB: 0..15 */
};

/* ---- The cipher: FIPS-197 ---- */

/* Section 4.2.1: times x, modulo x^8 + x^4 + x^3 + x + 1. */
static uint8_t xtime(uint8_t a) { return (uint8_t)((a << 1) ^ ((a >> 7) * 0x1b)); }

static uint8_t multiply(uint8_t a, uint8_t b) {
  uint8_t sum = 0;
  for (; b != 0; b >>= 1, a = xtime(a))
    if (b & 1) sum ^= a;
  return sum;
}

/* Zero for zero, else the multiplicative inverse, which is the 254th power. */
static uint8_t invert(uint8_t a) {
  uint8_t inverse = 1;
  unsigned exponent;
  for (exponent = 254; exponent != 0; exponent >>= 1, a = multiply(a, a))
    if (exponent & 1) inverse = multiply(inverse, a);
  return inverse;
}

static uint8_t rotate(uint8_t a, unsigned bits) { return (uint8_t)((a << bits) | (a >> (8 - bits))); }

/* Section 5.1.1: the inverse, then an affine transformation; and section 5.3.2, the other way round. */
static uint8_t substitute(uint8_t a) {
  const uint8_t b = invert(a);
  return (uint8_t)(b ^ rotate(b, 1) ^ rotate(b, 2) ^ rotate(b, 3) ^ rotate(b, 4) ^ 0x63);
}

static uint8_t substitute_back(uint8_t a) {
  return invert((uint8_t)(rotate(a, 1) ^ rotate(a, 3) ^ rotate(a, 6) ^ 0x05));
}

static uint8_t sub(const struct context *c, uint8_t a) { return c->computed ? substitute(a) : c->sbox[a]; }

static uint8_t sub_back(const struct context *c, uint8_t a) {
  return c->computed ? substitute_back(a) : c->inverse_sbox[a];
}

/* Section 5.2: the key schedule, in bytes. key_size: 16, 24 or 32. */
static void expand_key(struct context *c, const uint8_t *key, unsigned key_size) {
  uint8_t *w = c->round_key[0];
  const unsigned size = BLOCK * (c->rounds + 1);
  uint8_t rcon = 1;
  unsigned at, i;
  memcpy(w, key, key_size);
  for (at = key_size; at < size; at += 4) {
    uint8_t word[4];
    memcpy(word, w + at - 4, 4);
    if (at % key_size == 0) {
      const uint8_t first = word[0];
      for (i = 0; i < 4; ++i) word[i] = sub(c, i < 3 ? word[i + 1] : first);
      word[0] ^= rcon;
      rcon = xtime(rcon);
    } else if (key_size == 32 && at % key_size == 16) {
      for (i = 0; i < 4; ++i) word[i] = sub(c, word[i]);
    }
    for (i = 0; i < 4; ++i) w[at + i] = (uint8_t)(w[at + i - key_size] ^ word[i]);
  }
}

static void xor_block(uint8_t *out, const uint8_t *a, const uint8_t *b) {
  unsigned i;
  for (i = 0; i < BLOCK; ++i) out[i] = (uint8_t)(a[i] ^ b[i]);
}

/* Section 5.1.3. */
static void mix_columns(uint8_t *s) {
  unsigned column, i;
  for (column = 0; column < 4; ++column, s += 4) {
    const uint8_t first = s[0];
    const uint8_t all = (uint8_t)(s[0] ^ s[1] ^ s[2] ^ s[3]);
    for (i = 0; i < 4; ++i) s[i] ^= (uint8_t)(all ^ xtime((uint8_t)(s[i] ^ (i < 3 ? s[i + 1] : first))));
  }
}

/* Section 5.3.3: the inverse of MixColumns is MixColumns after one more step. */
static void inverse_mix_columns(uint8_t *s) {
  unsigned i;
  for (i = 0; i < BLOCK; i += 4) {
    const uint8_t even = xtime(xtime((uint8_t)(s[i] ^ s[i + 2])));
    const uint8_t odd = xtime(xtime((uint8_t)(s[i + 1] ^ s[i + 3])));
    s[i] ^= even;
    s[i + 2] ^= even;
    s[i + 1] ^= odd;
    s[i + 3] ^= odd;
  }
  mix_columns(s);
}

/* Section 5.1; out may be in. Byte 4 * c + r of the state is in row r and column c. */
static void encrypt_block(const struct context *c, const uint8_t *in, uint8_t *out) {
  uint8_t s[BLOCK], t[BLOCK];
  unsigned round, i;
  xor_block(s, in, c->round_key[0]);
  for (round = 1; round <= c->rounds; ++round) {
    for (i = 0; i < BLOCK; ++i) t[i] = sub(c, s[(i + 4 * (i % 4)) % BLOCK]); /* SubBytes and ShiftRows */
    if (round < c->rounds) mix_columns(t);
    xor_block(s, t, c->round_key[round]);
  }
  memcpy(out, s, BLOCK);
}

/* Section 5.3; out may be in. */
static void decrypt_block(const struct context *c, const uint8_t *in, uint8_t *out) {
  uint8_t s[BLOCK], t[BLOCK];
  unsigned round, i;
  xor_block(s, in, c->round_key[c->rounds]);
  for (round = c->rounds; round-- > 0;) {
    for (i = 0; i < BLOCK; ++i) t[(i + 4 * (i % 4)) % BLOCK] = sub_back(c, s[i]);
    xor_block(s, t, c->round_key[round]);
    if (round > 0) inverse_mix_columns(s);
  }
  memcpy(out, s, BLOCK);
}

/* ---- The modes: SP 800-38A section 6. All may work in place: out may be in. ---- */

static int ecb_encrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  if (length % BLOCK != 0) return AESGATE_BAD_ARGUMENT;
  for (; length > 0; length -= BLOCK, in += BLOCK, out += BLOCK) encrypt_block(context, in, out);
  return AESGATE_OK;
}

static int ecb_decrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  if (length % BLOCK != 0) return AESGATE_BAD_ARGUMENT;
  for (; length > 0; length -= BLOCK, in += BLOCK, out += BLOCK) decrypt_block(context, in, out);
  return AESGATE_OK;
}

static int cbc_encrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  struct context *c = context;
  if (length % BLOCK != 0) return AESGATE_BAD_ARGUMENT;
  for (; length > 0; length -= BLOCK, in += BLOCK, out += BLOCK) {
    xor_block(c->chain, c->chain, in);
    encrypt_block(c, c->chain, c->chain);
    memcpy(out, c->chain, BLOCK);
  }
  return AESGATE_OK;
}

static int cbc_decrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  struct context *c = context;
  if (length % BLOCK != 0) return AESGATE_BAD_ARGUMENT;
  for (; length > 0; length -= BLOCK, in += BLOCK, out += BLOCK) {
    uint8_t ciphertext[BLOCK], block[BLOCK];
    memcpy(ciphertext, in, BLOCK); /* before out, which may be in, is written */
    decrypt_block(c, ciphertext, block);
    xor_block(out, block, c->chain);
    memcpy(c->chain, ciphertext, BLOCK);
  }
  return AESGATE_OK;
}

/* Section 6.3 with s = 1. length counts bits, the first of which is bit 7 of in[0]. */
static int cfb1(struct context *c, const uint8_t *in, uint8_t *out, size_t length, int decrypts) {
  size_t i;
  for (i = 0; i < length; ++i) {
    const unsigned shift = 7 - (unsigned)(i % 8);
    const unsigned input = (in[i / 8] >> shift) & 1u;
    unsigned output, ciphertext, k;
    uint8_t block[BLOCK];
    encrypt_block(c, c->chain, block);
    output = input ^ (unsigned)(block[0] >> 7);
    ciphertext = decrypts ? input : output;
    /* Other bits of out[i / 8] are not ours: those past the end stay as they were. */
    out[i / 8] = (uint8_t)((out[i / 8] & ~(1u << shift)) | (output << shift));
    for (k = 0; k < BLOCK; ++k) {
      const unsigned next = k + 1 < BLOCK ? (unsigned)(c->chain[k + 1] >> 7) : ciphertext;
      c->chain[k] = (uint8_t)(((unsigned)c->chain[k] << 1) | next);
    }
  }
  return AESGATE_OK;
}

static int cfb1_encrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  return cfb1(context, in, out, length, 0);
}

static int cfb1_decrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  return cfb1(context, in, out, length, 1);
}

/* Section 6.3 with s = 8. */
static int cfb8(struct context *c, const uint8_t *in, uint8_t *out, size_t length, int decrypts) {
  for (; length > 0; --length, ++in, ++out) {
    const uint8_t input = *in;
    uint8_t block[BLOCK];
    encrypt_block(c, c->chain, block);
    *out = (uint8_t)(input ^ block[0]);
    memmove(c->chain, c->chain + 1, BLOCK - 1);
    c->chain[BLOCK - 1] = decrypts ? input : *out;
  }
  return AESGATE_OK;
}

static int cfb8_encrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  return cfb8(context, in, out, length, 0);
}

static int cfb8_decrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  return cfb8(context, in, out, length, 1);
}

/* Section 6.3 with s = 128; a call may end in the middle of a block, and the next one goes on there. */
static int cfb128(struct context *c, const uint8_t *in, uint8_t *out, size_t length, int decrypts) {
  for (; length > 0; --length, ++in, ++out) {
    const uint8_t input = *in;
    if (c->used == 0) encrypt_block(c, c->chain, c->keystream);
    *out = (uint8_t)(input ^ c->keystream[c->used]);
    c->chain[c->used] = decrypts ? input : *out;
    c->used = (c->used + 1) % BLOCK;
  }
  return AESGATE_OK;
}

static int cfb128_encrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  return cfb128(context, in, out, length, 0);
}

static int cfb128_decrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  return cfb128(context, in, out, length, 1);
}

/* Section 6.4: the same in both directions. */
static int ofb(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  struct context *c = context;
  for (; length > 0; --length, ++in, ++out) {
    if (c->used == 0) encrypt_block(c, c->chain, c->chain);
    *out = (uint8_t)(*in ^ c->chain[c->used]);
    c->used = (c->used + 1) % BLOCK;
  }
  return AESGATE_OK;
}

/* ---- The interface: aesgate_backend.h ---- */

static int is_shape(const aesgate_shape *shape) {
  return shape->mode <= AESGATE_OFB && shape->direction <= AESGATE_DECRYPT && shape->flags == 0 &&
         (shape->key_bits == 128 || shape->key_bits == 192 || shape->key_bits == 256);
}

/* Where this needs a CPU feature, a device or a library: say here what is missing. */
static int probe(const aesgate_backend *self, char *reason, size_t size) {
  (void)self;
  if (size > 0) reason[0] = '\0';
  return AESGATE_OK;
}

static aesgate_update_fn update_for(const aesgate_backend *self, const aesgate_shape *shape) {
  static const aesgate_update_fn update[6][2] = {{ecb_encrypt, ecb_decrypt},   {cbc_encrypt, cbc_decrypt},
                                                 {cfb1_encrypt, cfb1_decrypt}, {cfb8_encrypt, cfb8_decrypt},
                                                 {cfb128_encrypt, cfb128_decrypt}, {ofb, ofb}};
  (void)self;
  return is_shape(shape) ? update[shape->mode][shape->direction] : NULL;
}

static size_t context_size(const aesgate_backend *self, const aesgate_shape *shape) {
  (void)self;
  (void)shape;
  return sizeof(struct context);
}

static int start(const aesgate_backend *self, void *context, const aesgate_shape *shape, const uint8_t *key,
                 const uint8_t *iv) {
  struct context *c = context;
  unsigned i;
  memset(c, 0, sizeof *c); /* whatever start() returns, finish() can follow */
  if (!is_shape(shape)) return AESGATE_UNSUPPORTED;
  c->computed = self->data != NULL;
  for (i = 0; i < 256 && !c->computed; ++i) {
    c->sbox[i] = substitute((uint8_t)i);
    c->inverse_sbox[c->sbox[i]] = (uint8_t)i;
  }
  c->mode = shape->mode;
  c->rounds = shape->key_bits / 32 + 6;
  expand_key(c, key, shape->key_bits / 8);
  if (c->mode != AESGATE_ECB) memcpy(c->chain, iv, BLOCK);
  return AESGATE_OK;
}

static int restart(void *context, const uint8_t *iv) {
  struct context *c = context;
  c->used = 0;
  if (c->mode != AESGATE_ECB) memcpy(c->chain, iv, BLOCK);
  return AESGATE_OK;
}

static int chaining_value(const void *context, uint8_t iv[16]) {
  const struct context *c = context;
  if (c->mode == AESGATE_ECB || c->used != 0) return AESGATE_UNSUPPORTED;
  memcpy(iv, c->chain, BLOCK);
  return AESGATE_OK;
}

/* The key is in the context: a compiler may leave a memset() out, but no store to what is volatile. */
static void finish(void *context) {
  volatile uint8_t *byte = context;
  size_t left = sizeof(struct context);
  while (left-- > 0) *byte++ = 0;
}

static const aesgate_backend *configure(const aesgate_backend *self, const char *options, char *reason, size_t size);

#define EXAMPLE(name, description, data)                                                                        \
  {                                                                                                             \
    AESGATE_ABI_VERSION, sizeof(aesgate_backend), name, "software", "none", description, data, configure, probe, \
        update_for, context_size, sizeof(void *), start, restart, chaining_value, finish                        \
  }

static const aesgate_backend example = EXAMPLE("example", "AES in plain C99, to be copied", NULL);

/* A variant has a name of its own, so that reports tell them apart; here its data is what tells start(). */
static const aesgate_backend example_computed =
    EXAMPLE("example-computed", "the same without tables: every S-box value is computed", "computed");

/* --backend example:sbox=computed */
static const aesgate_backend *configure(const aesgate_backend *self, const char *options, char *reason, size_t size) {
  (void)self;
  if (strcmp(options, "sbox=table") == 0) return &example;
  if (strcmp(options, "sbox=computed") == 0) return &example_computed;
  snprintf(reason, size, "unknown option \"%s\"; known: sbox=table, sbox=computed", options);
  return NULL;
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const aesgate_backend *const *
aesgate_backends(void) {
  static const aesgate_backend *const all[] = {&example, NULL};
  return all;
}
