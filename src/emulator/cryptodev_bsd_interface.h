#pragma once

#include <cstdint>

// What a program needs of FreeBSD's <crypto/cryptodev.h>, whose session and request NetBSD has too: the layouts of the
// structs, the numbers of requests and ciphers, under the names that it gives them. For the stand-in and for the form
// of the backend that is tested against it; a real device is driven by the code that the system's own header was
// compiled into.

#define CRYPTO_AES_CBC 11
#define COP_ENCRYPT 1
#define COP_DECRYPT 2
#define CRYPTO_FLAG_HARDWARE 0x01000000
#define CRYPTO_FLAG_SOFTWARE 0x02000000

// In a namespace, since the two interfaces give different things the same names.
namespace aesgate::cryptodev_bsd {

/// Of CIOCGSESSION: a cipher and its key go in, the session's number comes out.
struct session_op {
  std::uint32_t cipher, mac;
  std::uint32_t keylen;
  const void* key;
  int mackeylen;
  const void* mackey;
  std::uint32_t ses;
};

/// Of CIOCGSESSION2: which drivers may serve goes in too, which one does comes out.
struct session2_op {
  std::uint32_t cipher, mac;
  std::uint32_t keylen;
  const void* key;
  int mackeylen;
  const void* mackey;
  std::uint32_t ses;
  int crid;
  int pad[4];
};

/// Of CIOCCRYPT: a request.
struct crypt_op {
  std::uint32_t ses;
  std::uint16_t op, flags;
  unsigned len;
  const void* src;
  void *dst, *mac;
  const void* iv;
};

/// Of CIOCFINDDEV: the name of a driver.
struct crypt_find_op {
  int crid;
  char name[32];
};

}  // namespace aesgate::cryptodev_bsd

// BSD's sys/ioccom.h: the direction, 13 bits of the size, the group and the number.
#define AESGATE_BSD_REQUEST(direction, number, type) \
  ((direction) | (sizeof(type) & 0x1fffu) << 16 | static_cast<unsigned>('c') << 8 | (number))
#define CRIOGET AESGATE_BSD_REQUEST(0xc0000000u, 100, std::uint32_t)
#define CIOCGSESSION AESGATE_BSD_REQUEST(0xc0000000u, 101, session_op)
#define CIOCFSESSION AESGATE_BSD_REQUEST(0x80000000u, 102, std::uint32_t)
#define CIOCCRYPT AESGATE_BSD_REQUEST(0xc0000000u, 103, crypt_op)
#define CIOCGSESSION2 AESGATE_BSD_REQUEST(0xc0000000u, 106, session2_op)
#define CIOCFINDDEV AESGATE_BSD_REQUEST(0xc0000000u, 108, crypt_find_op)
