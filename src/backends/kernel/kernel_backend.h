#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <unistd.h>

#include "abi/aesgate_backend.h"
#include "backends/library/library_backend.h"

// What the backends share that ask a kernel.
namespace aesgate::kernel {

inline constexpr std::size_t block_bytes = 16;

/// The struct of a kernel's backend: what library_backend() makes of a Context, under the name of its kind.
template <typename Context>
constexpr aesgate_backend kernel_backend(const char* name, const char* description) {
  aesgate_backend b = library::library_backend<Context>(name, description);
  b.kind = "kernel";
  b.unit = "kernel";
  return b;
}

/// Descriptor: a file descriptor that is closed once.
class Descriptor {
 public:
  Descriptor() noexcept = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

/// What a system call says that no signal interrupted: call(), which gives -1 and errno for an error, again if need be.
template <typename Call>
auto uninterrupted(const Call& call) {
  auto said = call();
  while (said == -1 && errno == EINTR) said = call();
  return said;
}

/// The name of an error that a kernel gives here: "ENOENT"; for others what the system says of it.
inline std::string error_name(int error) {
  switch (error) {
    case EACCES: return "EACCES";
    case EAFNOSUPPORT: return "EAFNOSUPPORT";
    case EBUSY: return "EBUSY";
    case EINVAL: return "EINVAL";
    case ELIBBAD: return "ELIBBAD";
    case EMFILE: return "EMFILE";
    case ENFILE: return "ENFILE";
    case ENODEV: return "ENODEV";
    case ENOENT: return "ENOENT";
    case ENOMEM: return "ENOMEM";
    case ENOSYS: return "ENOSYS";
    case ENOTTY: return "ENOTTY";
    case ENXIO: return "ENXIO";
    case EOPNOTSUPP: return "EOPNOTSUPP";
    case EPERM: return "EPERM";
    default: return std::strerror(error);
  }
}

/// Puts `text` where a backend's function has to explain itself.
inline void explain(const std::string& text, char* reason, std::size_t size) {
  if (size > 0) reason[text.copy(reason, size - 1)] = '\0';
}

}  // namespace aesgate::kernel
