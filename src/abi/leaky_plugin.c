/* leaky_plugin.c: backends whose "cipher" is an exclusive or, and which let the key decide something in one call each.
 * They are no AES: what aesgate verify --constant-time has to see does not depend on that. A name says where it leaks.
 */
#include "aesgate_backend.h"

#include <string.h>

enum leak { NOWHERE, IN_START, IN_UPDATE, IN_CHAINING_VALUE, IN_RESTART, IN_FINISH, BY_BRANCH };

struct context {
  uint8_t key[32];
  uint8_t iv[16];
  enum leak leak;
};

static const uint8_t table[256] = {3, 1, 4, 1, 5};
static volatile uint8_t seen;

static void look_up(const struct context* c) { seen = table[c->key[1]]; }

static int update(void* context, const uint8_t* in, uint8_t* out, size_t length) {
  const struct context* c = context;
  size_t i;
  if (c->leak == IN_UPDATE) look_up(c);
  if (c->leak == BY_BRANCH && c->key[1] > 100) seen = 1;
  for (i = 0; i < length; ++i) out[i] = (uint8_t)(in[i] ^ c->key[i % 16]);
  return AESGATE_OK;
}

static aesgate_update_fn update_for(const aesgate_backend* self, const aesgate_shape* shape) {
  (void)self;
  return shape->mode == AESGATE_CBC && shape->direction == AESGATE_ENCRYPT ? update : NULL;
}

static int probe(const aesgate_backend* self, char* reason, size_t size) {
  (void)self;
  (void)reason;
  (void)size;
  return AESGATE_OK;
}

static size_t context_size(const aesgate_backend* self, const aesgate_shape* shape) {
  (void)self;
  (void)shape;
  return sizeof(struct context);
}

static int start(const aesgate_backend* self, void* context, const aesgate_shape* shape, const uint8_t* key,
                 const uint8_t* iv) {
  struct context* c = context;
  memset(c, 0, sizeof *c);
  memcpy(c->key, key, shape->key_bits / 8);
  memcpy(c->iv, iv, sizeof c->iv);
  memcpy(&c->leak, self->data, sizeof c->leak);
  if (c->leak == IN_START) look_up(c);
  return AESGATE_OK;
}

static int restart(void* context, const uint8_t* iv) {
  struct context* c = context;
  memcpy(c->iv, iv, sizeof c->iv);
  if (c->leak == IN_RESTART) look_up(c);
  return AESGATE_OK;
}

static int chaining_value(const void* context, uint8_t iv[16]) {
  const struct context* c = context;
  memcpy(iv, c->iv, sizeof c->iv);
  if (c->leak == IN_CHAINING_VALUE) look_up(c);
  return AESGATE_OK;
}

static void finish(void* context) {
  struct context* c = context;
  if (c->leak == IN_FINISH) look_up(c);
  memset(c, 0, sizeof *c);
}

#define BACKEND(leak_name, where)                                    \
  static const enum leak leak_name##_data = where;                   \
  static const aesgate_backend leak_name = {AESGATE_ABI_VERSION,     \
                                            sizeof(aesgate_backend), \
                                            #leak_name,              \
                                            "software",              \
                                            "none",                  \
                                            "A leak of the key",     \
                                            &leak_name##_data,       \
                                            NULL,                    \
                                            probe,                   \
                                            update_for,              \
                                            context_size,            \
                                            sizeof(void*),           \
                                            start,                   \
                                            restart,                 \
                                            chaining_value,          \
                                            finish}

BACKEND(leak_nowhere, NOWHERE);
BACKEND(leak_in_start, IN_START);
BACKEND(leak_in_update, IN_UPDATE);
BACKEND(leak_in_chaining_value, IN_CHAINING_VALUE);
BACKEND(leak_in_restart, IN_RESTART);
BACKEND(leak_in_finish, IN_FINISH);
BACKEND(leak_by_branch, BY_BRANCH);

const aesgate_backend* const* aesgate_backends(void) {
  static const aesgate_backend* const all[] = {
      &leak_nowhere,    &leak_in_start,  &leak_in_update, &leak_in_chaining_value,
      &leak_in_restart, &leak_in_finish, &leak_by_branch, NULL};
  return all;
}
