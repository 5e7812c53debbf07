// Linux's AF_ALG: the kernel's ciphers, through sockets. Options, separated by commas:
//
//     driver=NAME     this driver alone, such as cbc-aes-aesni, in the mode that it has; once for each mode
//
// A variant's name is "af_alg-" and the drivers' names, in lower case and with "_" for what a name cannot have.

#include "backends/kernel/kernel_backend.h"

#if defined(__linux__) && __has_include(<linux/if_alg.h>)

#include <cctype>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "backends/kernel/af_alg_ciphers.h"
#include "backends/kernel/message.h"
#include "core/text_file.h"

namespace aesgate::kernel {
namespace {

const Ciphers& ciphers_of(const aesgate_backend& backend) {
  if (backend.data != nullptr) return *static_cast<const Ciphers*>(backend.data);
  static const Ciphers ciphers(true);
  return ciphers;
}

struct Context {
  Operations operations;
  Message message;

  Context() noexcept = default;

  static const aesgate_backend* configure(const aesgate_backend* self, const char* options, char* reason,
                                          std::size_t size);

  static int probe(const aesgate_backend* self, char* reason, std::size_t size) {
    return library::guarded([&] {
      const Ciphers& ciphers = ciphers_of(*self);
      const std::string why = ciphers.why_unavailable();
      if (size > 0) explain(why.empty() ? ciphers.remark() : why, reason, size);
      return why.empty() ? AESGATE_OK : AESGATE_UNAVAILABLE;
    });
  }

  static bool process(Context& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    return c.message.update(c.operations, in, out, length) == AESGATE_OK;
  }

  static aesgate_update_fn update_for(const aesgate_backend& self, const aesgate_shape& shape) {
    if (ciphers_of(self).find(shape) == nullptr) return nullptr;
    return is_block_mode(Mode{shape.mode}) ? library::update_blocks<Context, process>
                                           : library::update_any<Context, process>;
  }

  int start(const aesgate_backend& self, const aesgate_shape& shape, const std::uint8_t* key, const std::uint8_t* iv) {
    const bool decrypts = shape.direction == AESGATE_DECRYPT;
    message.begin(shape.mode, decrypts, iv);
    const char* name = ciphers_of(self).find(shape);
    if (name == nullptr) return AESGATE_UNAVAILABLE;
    Descriptor cipher;  // what accept() gives keeps the cipher and its key
    if (bind_cipher(name, cipher)) return AESGATE_UNAVAILABLE;
    if (set_key(cipher, key, shape.key_bits / 8)) return AESGATE_FAILED;
    return operations.open(cipher, decrypts, shape.mode != AESGATE_ECB) ? AESGATE_FAILED : AESGATE_OK;
  }

  int restart(const std::uint8_t* iv) {
    message.begin(message.mode(), message.decrypts(), iv);
    return AESGATE_OK;
  }

  int chaining_value(std::uint8_t* iv) const { return message.chaining_value(iv); }
};

/// The mode of a driver, by its place in af_alg_modes: what /proc/crypto says, or else the first mode in its name,
/// since the kernel loads some drivers only when they are asked for. An Error for a driver of another cipher.
Result<std::size_t> mode_of(std::string_view driver) {
  if (const auto drivers = kernel_drivers())
    for (const KernelDriver& known : *drivers) {
      if (known.driver != driver) continue;
      for (std::size_t i = 0; i < af_alg_modes.size(); ++i)
        if (known.algorithm == af_alg_modes[i].second) return i;
      return error("driver {} does {}, not AES in ECB, CBC, CFB128 or OFB", driver, known.algorithm);
    }
  std::size_t best = af_alg_modes.size();
  std::size_t at = std::string_view::npos;
  for (std::size_t i = 0; i < af_alg_modes.size(); ++i) {
    const std::size_t found = driver.find(std::string_view(af_alg_modes[i].second).substr(0, 3));
    if (found < at) {
      best = i;
      at = found;
    }
  }
  if (at != std::string_view::npos && driver.find("aes") != std::string_view::npos) return best;
  return error("which mode driver \"{}\" does is neither in /proc/crypto nor in its name", excerpt(driver));
}

struct Variant {
  std::string name = "af_alg", description = "Linux's AF_ALG sockets";
  Ciphers ciphers{false};
  aesgate_backend backend;
};

Result<std::unique_ptr<Variant>> make_variant(std::string_view options) {
  auto variant = std::make_unique<Variant>();
  for (const std::string_view part : split(options, ',')) {
    const auto field = split_field(part);
    if (!field || field->name != "driver" || field->value.empty())
      return error("unknown option \"{}\"; known: driver=NAME, a name in /proc/crypto", excerpt(part));
    if (field->value.size() >= sizeof(sockaddr_alg::salg_name))
      return error("driver \"{}\": a name has at most {} bytes", excerpt(field->value),
                   sizeof(sockaddr_alg::salg_name) - 1);
    const auto mode = mode_of(field->value);
    if (!mode) return tl::unexpected(mode.error());
    if (!variant->ciphers.set_driver(*mode, std::string(field->value)))
      return error("two drivers for {}: name one", name(af_alg_modes[*mode].first));
    variant->name += '-';
    for (const char c : field->value)
      variant->name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'
                           ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                           : '_';
    variant->description += fmt::format(", driver {}", field->value);
  }
  variant->backend = kernel_backend<Context>(variant->name.c_str(), variant->description.c_str());
  variant->backend.data = &variant->ciphers;
  variant->backend.configure = nullptr;  // a variant has no variants
  return variant;
}

// The same options give the same variant.
Result<const aesgate_backend*> find_variant(const std::string& options) {
  static std::mutex mutex;
  static auto& variants = *new std::map<std::string, std::unique_ptr<Variant>>;  // until the process ends, and not less
  const std::lock_guard lock(mutex);
  if (const auto found = variants.find(options); found != variants.end()) return &found->second->backend;
  auto made = make_variant(options);
  if (!made) return tl::unexpected(made.error());
  return &variants.emplace(options, *std::move(made)).first->second->backend;
}

const aesgate_backend* Context::configure(const aesgate_backend*, const char* options, char* reason, std::size_t size) {
  try {
    const auto variant = find_variant(options);
    if (variant) return *variant;
    explain(variant.error().message, reason, size);
  } catch (...) {
    explain("out of memory", reason, size);
  }
  return nullptr;
}

constexpr aesgate_backend backend =
    kernel_backend<Context>("af_alg", "Linux's AF_ALG sockets: the driver that the kernel prefers");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate::kernel

#else

#include "backends/kernel/not_here.h"

namespace aesgate::kernel {
namespace {

constexpr aesgate_backend backend =
    not_here("af_alg", "Linux's AF_ALG sockets", "not built: Linux's header linux/if_alg.h was not found");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate::kernel

#endif
