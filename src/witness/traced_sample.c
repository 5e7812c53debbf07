/* A program for tests of what is seen of programs: traced_sample WHAT…, each done in turn.
 *   aesenc MS    AES-128 by AESENC, one block at a time, for so long of CPU time
 *   hash MS      AESENC as a hash has it, without last rounds
 *   vaes MS      by VAESENC on zmm registers; exits with 77 on a CPU without
 *   spin MS      no AES
 *   jit MS       aesenc's loop, copied to anonymous memory
 *   threads MS   aesenc in a second thread, while the first sleeps
 *   fork MS      aesenc in a child
 *   socket       socket(AF_ALG), whatever comes of it
 *   device       open("/dev/crypto")
 *   foreign      an open() by the system call of 32-bit programs
 *   trace        ptrace(PTRACE_TRACEME)
 *   crash        a signal that nobody expects
 *   deaf         ignores SIGTERM, and sleeps until it is killed
 *   leave MS     ends, and leaves a child that sleeps so long
 *   abandon MS   ends, and leaves a child that does spin
 *   term         waits for SIGTERM, and exits with 21 on the first, after 200 ms with 22 if there was a second
 *   masked MS    aesenc with all signals blocked; exits with 23 if SIGTRAP is not blocked afterwards
 *   flags MS     PUSHF and POPF in a loop; a trap flag that somebody left there kills it
 *   exit N       exits with status N
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#ifndef AF_ALG
#define AF_ALG 38
#endif

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static volatile sig_atomic_t terms;
static void count_term(int signal) {
  (void)signal;
  ++terms;
}

#if defined(__x86_64__)
/* Ten thousand passes of nine rounds and the last, then RET: position-independent, so that it can be copied. */
void aes128_rounds(void);
extern const char aes128_rounds_end[];
__asm__(
    ".pushsection .text\n.globl aes128_rounds\n.type aes128_rounds, @function\naes128_rounds:\n"
    "movl $10000, %ecx\n1:\n"
    "aesenc %xmm1, %xmm0\naesenc %xmm1, %xmm0\naesenc %xmm1, %xmm0\n"
    "aesenc %xmm1, %xmm0\naesenc %xmm1, %xmm0\naesenc %xmm1, %xmm0\n"
    "aesenc %xmm1, %xmm0\naesenc %xmm1, %xmm0\naesenc %xmm1, %xmm0\n"
    "aesenclast %xmm1, %xmm0\n"
    "decl %ecx\njnz 1b\nret\n"
    "aes128_rounds_end:\n.size aes128_rounds, . - aes128_rounds\n.popsection\n");

/* A hash's: rounds without a last one. */
void aes_hash(void);
__asm__(
    ".pushsection .text\n.globl aes_hash\n.type aes_hash, @function\naes_hash:\n"
    "movl $10000, %ecx\n1:\naesenc %xmm0, %xmm0\npaddq %xmm0, %xmm0\npshufd $0x39, %xmm0, %xmm0\n"
    "decl %ecx\njnz 1b\nret\n.size aes_hash, . - aes_hash\n.popsection\n");

/* The same of AES-256, by four blocks in each of two registers. */
void vaes256_rounds(void);
__asm__(
    ".pushsection .text\n.globl vaes256_rounds\n.type vaes256_rounds, @function\nvaes256_rounds:\n"
    "movl $5000, %ecx\n1:\n.rept 13\nvaesenc %zmm1, %zmm0, %zmm0\nvaesenc %zmm1, %zmm2, %zmm2\n.endr\n"
    "vaesenclast %zmm1, %zmm0, %zmm0\nvaesenclast %zmm1, %zmm2, %zmm2\n"
    "decl %ecx\njnz 1b\nvzeroupper\nret\n.size vaes256_rounds, . - vaes256_rounds\n.popsection\n");

static void flags_once(void) {
  for (int i = 0; i < 1000; ++i)
    __asm__ volatile("subq $128, %%rsp\npushfq\npopfq\naddq $128, %%rsp" ::: "cc", "memory");
}

/* Its result does not matter, nor that the path's address does not fit into 32 bits. */
static void foreign_open(void) {
  long result = 5;
  __asm__ volatile("int $0x80" : "+a"(result) : "b"(0), "c"(0), "d"(0) : "r8", "r9", "r10", "r11", "memory");
}
#else
static void foreign_open(void) { exit(77); }
static void aes128_rounds(void) { exit(77); }
static void aes_hash(void) { exit(77); }
static void vaes256_rounds(void) { exit(77); }
static const char aes128_rounds_end[1];
static void flags_once(void) {}
#endif

static void repeat(void (*function)(void), double ms) {
  const double until = cpu_ms() + ms;
  do function();
  while (cpu_ms() < until);
}

void spin_without_aes(void) {
  static volatile uint32_t state = 1;
  for (int i = 0; i < 10000; ++i) state = state * 1664525u + 1013904223u;
}

static void* aes_thread(void* ms) {
  repeat(aes128_rounds, *(const double*)ms);
  return NULL;
}

static void in_anonymous_memory(double ms) {
  const size_t size = (size_t)((const char*)aes128_rounds_end - (const char*)(uintptr_t)aes128_rounds);
  void* const code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) exit(78);
  memcpy(code, (const void*)(uintptr_t)aes128_rounds, size);
  if (mprotect(code, 4096, PROT_READ | PROT_EXEC) != 0) exit(78);
  repeat((void (*)(void))(uintptr_t)code, ms);
}

static void masked(double ms) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  repeat(aes128_rounds, ms);
  sigset_t now;
  sigprocmask(SIG_SETMASK, NULL, &now);
  if (!sigismember(&now, SIGTRAP)) exit(23);
}

static void in_a_thread(double ms) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, aes_thread, &ms) == 0) pthread_join(thread, NULL);
}

static void wait_for_term(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = count_term;
  sigaction(SIGTERM, &action, NULL);
  if (write(STDOUT_FILENO, "ready\n", 6) != 6) exit(79);
  while (terms == 0) usleep(1000);
  usleep(200000);
  exit(terms == 1 ? 21 : 22);
}

/* Does `what`; true if it took `value`. */
static int act(const char* what, const char* value) {
  const double ms = value != NULL ? atof(value) : 0;
  if (strcmp(what, "aesenc") == 0) return repeat(aes128_rounds, ms), 1;
  if (strcmp(what, "hash") == 0) return repeat(aes_hash, ms), 1;
  if (strcmp(what, "vaes") == 0) {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (c >> 9 & 1) == 0) exit(77);
    if (!__builtin_cpu_supports("avx512f")) exit(77);
#endif
    return repeat(vaes256_rounds, ms), 1;
  }
  if (strcmp(what, "spin") == 0) return repeat(spin_without_aes, ms), 1;
  if (strcmp(what, "flags") == 0) return repeat(flags_once, ms), 1;
  if (strcmp(what, "jit") == 0) return in_anonymous_memory(ms), 1;
  if (strcmp(what, "threads") == 0) return in_a_thread(ms), 1;
  if (strcmp(what, "masked") == 0) return masked(ms), 1;
  if (strcmp(what, "fork") == 0) {
    if (fork() == 0) {
      repeat(aes128_rounds, ms);
      _exit(0);
    }
    wait(NULL);
    return 1;
  }
  if (strcmp(what, "leave") == 0) {
    if (fork() == 0) {
      usleep((useconds_t)(ms * 1e3));
      _exit(0);
    }
    return 1;
  }
  if (strcmp(what, "abandon") == 0) {
    if (fork() == 0) {
      repeat(spin_without_aes, ms);
      _exit(0);
    }
    return 1;
  }
  if (strcmp(what, "exit") == 0) exit((int)ms);
  if (strcmp(what, "socket") == 0) close(socket(AF_ALG, SOCK_SEQPACKET, 0));
  if (strcmp(what, "device") == 0) close(open("/dev/crypto", O_RDWR));
  if (strcmp(what, "foreign") == 0) foreign_open();
  if (strcmp(what, "trace") == 0) ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  if (strcmp(what, "crash") == 0) raise(SIGSEGV);
  if (strcmp(what, "term") == 0) wait_for_term();
  if (strcmp(what, "deaf") == 0) {
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
  }
  return 0;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) i += act(argv[i], i + 1 < argc ? argv[i + 1] : NULL);
  return 0;
}
