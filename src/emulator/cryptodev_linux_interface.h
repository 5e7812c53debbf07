#pragma once

#include <cstdint>

#include <sys/ioctl.h>

// What a program needs of cryptodev-linux's <crypto/cryptodev.h>, for machines without it: the layouts of its structs,
// the numbers of its requests and ciphers, under the names that it gives them. For the stand-in and for the form of the
// backend that is tested against it; a real device is driven by the code that the system's own header was compiled
// into.

// In a namespace, since the two interfaces give different things the same names.
namespace aesgate::cryptodev_linux {

enum { CRYPTO_AES_CBC = 11, CRYPTO_AES_ECB = 23, CRYPTO_AES_CFB = 24, CRYPTO_AES_OFB = 25 };
enum { COP_ENCRYPT = 0, COP_DECRYPT = 1 };
enum { COP_FLAG_WRITE_IV = 1 << 2 };  // the next IV is written over the one that was given
enum { SIOP_FLAG_KERNEL_DRIVER_ONLY = 1 };

/// Of CIOCGSESSION: a cipher and its key go in, the session's number comes out.
struct session_op {
  std::uint32_t cipher, mac;
  std::uint32_t keylen;
  std::uint8_t* key;
  std::uint32_t mackeylen;
  std::uint8_t* mackey;
  std::uint32_t ses;
};

/// Of CIOCGSESSINFO: which drivers serve a session.
struct session_info_op {
  std::uint32_t ses;
  struct alg_info {
    char cra_name[64], cra_driver_name[64];
  } cipher_info, hash_info;
  std::uint16_t alignmask;  // zero-copy needs addresses that are multiples of this and one more
  std::uint32_t flags;
};

/// Of CIOCCRYPT: a request.
struct crypt_op {
  std::uint32_t ses;
  std::uint16_t op, flags;
  std::uint32_t len;
  std::uint8_t *src, *dst, *mac, *iv;
};

}  // namespace aesgate::cryptodev_linux

#define CRIOGET _IOWR('c', 101, std::uint32_t)
#define CIOCGSESSION _IOWR('c', 102, struct session_op)
#define CIOCFSESSION _IOW('c', 103, std::uint32_t)
#define CIOCCRYPT _IOWR('c', 104, struct crypt_op)
#define CIOCGSESSINFO _IOWR('c', 107, struct session_info_op)
