#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/bytes.h"

namespace aesgate {

/// OfferedBackend: what a plugin says of one backend. A string that is not there is a null pointer.
struct OfferedBackend {
  std::uint32_t abi_version = AESGATE_ABI_VERSION;
  std::uint32_t struct_size = sizeof(aesgate_backend);
  std::optional<std::string> name = "mine", kind = "software", unit = "none", description = "a backend";
  std::uint8_t functions = 0xff;  // a bit each: configure, probe, update_for, context_size, start, restart,
                                  // chaining_value, finish
  std::uint64_t context_align = 16;
};

inline constexpr std::array needed_functions{1, 2, 3, 4, 7};  // of these bits

/// The binary form: for each backend version and size (four bytes each, little-endian), functions (one), alignment
/// (eight), and four strings, each behind a byte that is its length, or 255 for null. Any bytes are a list of backends.
[[nodiscard]] std::vector<OfferedBackend> decode_offered(ByteView bytes);
[[nodiscard]] Bytes encode_offered(const std::vector<OfferedBackend>& backends);

/// The array of a plugin for some backends, whose functions do nothing.
class OfferedArray {
 public:
  explicit OfferedArray(std::vector<OfferedBackend> backends);
  [[nodiscard]] const aesgate_backend* const* get() const { return pointers_.data(); }

 private:
  std::vector<OfferedBackend> backends_;
  std::vector<aesgate_backend> structs_;
  std::vector<const aesgate_backend*> pointers_;
};

}  // namespace aesgate
