/* faulty_plugin.c: copies of the example with one fault each, which every check of a plugin must find. FAULT says which
 * one, as a word of the list below. Never a model: example_plugin.c is.
 */
#define _GNU_SOURCE /* quick_exit() */
#define aesgate_backends aesgate_backends_of_the_example
#include "example_plugin.c"
#undef aesgate_backends

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum fault {
  /* Wrong answers. */
  wrong_last_round, wrong_tail, iv_out, partial_carry, in_place, accepts_any_length, ignores_direction, keeps_input,
  stale_key,
  /* Memory. */
  over_read, over_write, input_write, context_write, heap_write, null_read, endless_recursion, huge_context,
  /* Ends of the process, or none. */
  hang, endless_loop, exit_in_start, exit_in_update, silent_exit_in_update, quick_exit_in_update, kill_in_update,
  crash_in_update_for, crash_in_context_size, fpe_in_start, bus_in_start, abort_in_finish, trap_in_chaining_value,
  throw_in_update,
  /* What belongs to the process. */
  close_descriptors, write_to_descriptors, prints, child_left_behind, child_that_returns,
  /* While it is loaded. */
  crash_in_constructor, exit_in_constructor, hang_in_constructor, crash_in_backends, throw_in_backends, crash_in_probe,
  exit_in_probe, hang_in_probe, crash_in_configure,
  /* What the loader refuses. */
  wrong_abi, tiny_struct, short_struct, null_array, empty_array, null_name, bad_name, null_kind, bad_kind, null_unit,
  bad_unit, null_description, null_probe, null_update_for, null_context_size, null_start, null_finish, zero_align,
  odd_align, same_name_twice
};

static const enum fault fault = FAULT;

/* In faulty_plugin_throw.cpp. */
void throw_an_exception(void);

static volatile uintptr_t null_address;
static aesgate_backend faulty;

/* Nothing that a compiler could turn into something else than an access. */
static void read_null(void) { (void)*(volatile int *)null_address; }

static void hang_for_ever(void) {
  for (;;) pause();
}

static void loop_for_ever(void) {
  volatile int goes_on = 1;
  while (goes_on) continue;
}

static size_t recurse(volatile size_t depth) {
  volatile char frame[4096];
  frame[depth % sizeof frame] = 1;
  return recurse(depth + 1) + (size_t)frame[0];
}

/* Past the end of a block of malloc(), into what malloc() itself keeps about the next one. */
static void write_past_heap(void) {
  char *a = malloc(2000);
  char *b = malloc(2000);
  volatile char *end = a;
  size_t i;
  for (i = 2000; i < 2032; ++i) end[i] = 0x55;
  free(b);
  free(a);
}

/* Each fault that update() has, where there is something to do. */
static void misbehave(uint8_t *in, uint8_t *out, size_t bytes, uint32_t mode) {
  switch (fault) {
    case wrong_tail:
      if (bytes % BLOCK != 0 || bytes >= (size_t)5 * BLOCK) out[bytes - 1] ^= mode == AESGATE_CFB1 ? 0x80 : 1;
      break;
    case in_place:
      if (in == out && bytes > BLOCK) out[BLOCK] ^= 0x80;
      break;
    case over_read: (void)*(volatile uint8_t *)(in + bytes); break;
    case over_write: out[bytes] = 0; break;
    case input_write:
      if (in != out) in[0] ^= 1;
      break;
    case heap_write: write_past_heap(); break;
    case null_read: read_null(); break;
    case endless_recursion: recurse(1); break;
    case hang: hang_for_ever(); break;
    case endless_loop: loop_for_ever(); break;
    case exit_in_update: exit(0); break;
    case silent_exit_in_update: _exit(0); break;
    case quick_exit_in_update: quick_exit(5); break;
    case kill_in_update: raise(SIGKILL); break;
    case throw_in_update: throw_an_exception(); break;
    case close_descriptors: {
      int descriptor;
      for (descriptor = 0; descriptor < 64; ++descriptor) close(descriptor);
      break;
    }
    case write_to_descriptors: {
      int descriptor;
      for (descriptor = 0; descriptor < 64; ++descriptor)
        if (write(descriptor, "a line of a log\n", 16) < 0) continue;
      break;
    }
    case prints:
      printf("a line of a log\n");
      fflush(stdout);
      break;
    case child_that_returns: fork(); break;
    case child_left_behind:
      if (fork() == 0) hang_for_ever();
      break;
    default: break;
  }
}

static int faulty_update(void *context, const uint8_t *in, uint8_t *out, size_t length, uint32_t direction) {
  struct context *c = context;
  const aesgate_shape shape = {c->mode, direction, 128, 0};
  const size_t bytes = c->mode == AESGATE_CFB1 ? (length + 7) / 8 : length;
  const uint8_t *kept;
  int status;
  if (fault == keeps_input && c->mode == AESGATE_CBC && direction == AESGATE_DECRYPT) {
    memcpy(&kept, c->keystream, sizeof kept); /* which CBC has no use for */
    if (kept != NULL) memcpy(c->chain, kept, BLOCK);
  }
  status = update_for(&example, &shape)(context, in, out, length);
  if (fault == accepts_any_length && status == AESGATE_BAD_ARGUMENT) return AESGATE_OK;
  if (status != AESGATE_OK || length == 0) return status;
  misbehave((uint8_t *)(uintptr_t)in, out, bytes, c->mode);
  if (fault == iv_out && bytes >= BLOCK) c->chain[3] ^= 4;
  if (fault == partial_carry && c->mode == AESGATE_CFB128) c->used = 0;
  if (fault == keeps_input) {
    kept = in + bytes - BLOCK;
    memcpy(c->keystream, &kept, sizeof kept);
  }
  return status;
}

static int faulty_encrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  return faulty_update(context, in, out, length, AESGATE_ENCRYPT);
}

static int faulty_decrypt(void *context, const uint8_t *in, uint8_t *out, size_t length) {
  return faulty_update(context, in, out, length, AESGATE_DECRYPT);
}

static aesgate_update_fn faulty_update_for(const aesgate_backend *self, const aesgate_shape *shape) {
  if (update_for(self, shape) == NULL) return NULL;
  if (fault == crash_in_update_for) read_null();
  return shape->direction == AESGATE_ENCRYPT || fault == ignores_direction ? faulty_encrypt : faulty_decrypt;
}

static size_t faulty_context_size(const aesgate_backend *self, const aesgate_shape *shape) {
  if (fault == crash_in_context_size) read_null();
  return fault == huge_context ? (size_t)-1 : context_size(self, shape);
}

static int faulty_start(const aesgate_backend *self, void *context, const aesgate_shape *shape, const uint8_t *key,
                        const uint8_t *iv) {
  static struct context first; /* of this process */
  struct context *c = context;
  int status;
  if (fault == exit_in_start) exit(3);
  if (fault == fpe_in_start) raise(SIGFPE);
  if (fault == bus_in_start) raise(SIGBUS);
  if (fault == context_write) ((uint8_t *)context)[sizeof(struct context)] = 1;
  status = start(self, context, shape, key, iv);
  if (fault == wrong_last_round) c->round_key[c->rounds][0] ^= 1;
  if (fault == stale_key) {
    if (first.rounds == 0) first = *c;
    if (first.rounds == c->rounds) memcpy(c->round_key, first.round_key, sizeof c->round_key);
  }
  return status;
}

static int faulty_chaining_value(const void *context, uint8_t iv[16]) {
  if (fault == trap_in_chaining_value) __builtin_trap();
  return chaining_value(context, iv);
}

static void faulty_finish(void *context) {
  if (fault == abort_in_finish) abort();
  finish(context);
}

static int faulty_probe(const aesgate_backend *self, char *reason, size_t size) {
  if (fault == crash_in_probe) read_null();
  if (fault == exit_in_probe) exit(4);
  if (fault == hang_in_probe) hang_for_ever();
  return probe(self, reason, size);
}

static const aesgate_backend *faulty_configure(const aesgate_backend *self, const char *options, char *reason,
                                               size_t size) {
  (void)self, (void)options, (void)reason, (void)size;
  if (fault == crash_in_configure) read_null();
  return NULL;
}

__attribute__((constructor)) static void faulty_constructor(void) {
  if (fault == crash_in_constructor) read_null();
  if (fault == exit_in_constructor) exit(6);
  if (fault == hang_in_constructor) hang_for_ever();
}

static void break_the_struct(aesgate_backend *b) {
  switch (fault) {
    case wrong_abi: b->abi_version = 2; break;
    case tiny_struct: b->struct_size = 4; break;
    case short_struct: b->struct_size = offsetof(aesgate_backend, finish); break;
    case null_name: b->name = NULL; break;
    case bad_name: b->name = "Faulty AES"; break;
    case null_kind: b->kind = NULL; break;
    case bad_kind: b->kind = "magic"; break;
    case null_unit: b->unit = NULL; break;
    case bad_unit: b->unit = "an abacus"; break;
    case null_description: b->description = NULL; break;
    case null_probe: b->probe = NULL; break;
    case null_update_for: b->update_for = NULL; break;
    case null_context_size: b->context_size = NULL; break;
    case null_start: b->start = NULL; break;
    case null_finish: b->finish = NULL; break;
    case zero_align: b->context_align = 0; break;
    case odd_align: b->context_align = 24; break;
    default: break;
  }
}

__attribute__((visibility("default"))) const aesgate_backend *const *aesgate_backends(void) {
  static const aesgate_backend *all[] = {&faulty, NULL, NULL};
  if (fault == crash_in_backends) read_null();
  if (fault == throw_in_backends) throw_an_exception();
  if (fault == null_array) return NULL;
  if (fault == empty_array) return all + 1;
  if (fault == same_name_twice) all[1] = &faulty;
  faulty = example;
  faulty.name = "faulty";
  faulty.description = "the example with one fault";
  faulty.configure = faulty_configure;
  faulty.probe = faulty_probe;
  faulty.update_for = faulty_update_for;
  faulty.context_size = faulty_context_size;
  faulty.start = faulty_start;
  faulty.chaining_value = faulty_chaining_value;
  faulty.finish = faulty_finish;
  break_the_struct(&faulty);
  return all;
}
