#include "core/warning.h"

namespace aesgate {
namespace {

struct Waiver {
  std::string_view backend;
  Warning warning;
  std::string_view reason;
};

constexpr std::string_view spills =
    "the compiler keeps on the stack what its registers have no room for; contexts are wiped (DESIGN.md)";
constexpr std::string_view a_librarys = "a library's, which is not ours to change";

constexpr std::array waivers{
    Waiver{"sbox", Warning::key_on_stack, spills},     Waiver{"ttable", Warning::key_on_stack, spills},
    Waiver{"bitslice", Warning::key_on_stack, spills}, Waiver{"vperm", Warning::key_on_stack, spills},
    Waiver{"aesni", Warning::key_on_stack, spills},    Waiver{"gfni", Warning::key_on_stack, spills},
    Waiver{"vaes256", Warning::key_on_stack, spills},  Waiver{"vaes512", Warning::key_on_stack, spills},
    Waiver{"botan", Warning::key_on_stack, a_librarys}};

/// A form of a backend has its name, a hyphen, and its own.
bool is_of(std::string_view backend, std::string_view name) {
  return backend.starts_with(name) && (backend.size() == name.size() || backend[name.size()] == '-');
}

}  // namespace

std::string_view name(Warning warning) {
  static constexpr std::array<std::string_view, warning_count> names{
      "leaves upper halves of vector registers in use, which is slow and not wrong",
      "leaves round keys on the stack, where they stay until something else is written there",
      "prints, which no backend may; it is thrown away"};
  return names[static_cast<std::size_t>(warning)];
}

std::string_view waiver(std::string_view backend, Warning warning) {
  for (const Waiver& waiver : waivers)
    if (is_of(backend, waiver.backend) && waiver.warning == warning) return waiver.reason;
  return {};
}

}  // namespace aesgate
