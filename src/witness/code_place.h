#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace aesgate::witness {

/// CodePlace: where an instruction comes from; empty and zero where that is not known.
struct CodePlace {
  std::string function;  // without parameters
  std::string file;      // its last component
  unsigned line = 0;
  std::string object;  // the program or shared object, its last component, "+0x" and the address in it

  friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

/// "expand_key (sbox.cpp:41)", "mbedtls_aes_setkey_enc (libmbedcrypto.so.7+0x1234)".
[[nodiscard]] std::string to_text(const CodePlace& place);

/// The place of an address in this process: by the symbols of its object and, where the program addr2line is installed
/// and there is debug information, by the line: of what is inlined there, the innermost function.
[[nodiscard]] CodePlace place_of(std::uint64_t address);

/// LoadedProgram: where the program lies in the memory of a process of it.
struct LoadedProgram {
  std::uint64_t base = 0;            // what is added to an address in its file
  std::uint64_t begin = 0, end = 0;  // of all its segments

  [[nodiscard]] bool has(std::uint64_t address) const { return address >= begin && address < end; }
};
[[nodiscard]] LoadedProgram loaded_program();

/// The places of those of `addresses` that lie in a process of this program, which is loaded there as `loaded` says.
[[nodiscard]] std::map<std::uint64_t, CodePlace> places_in_program(const std::set<std::uint64_t>& addresses,
                                                                   const LoadedProgram& loaded);

/// The last component of a path.
[[nodiscard]] std::string last_component(const std::string& path);

/// "aesgate::expand_key" of "void aesgate::(anonymous namespace)::expand_key<4ul>(int)": as short as it stays clear.
[[nodiscard]] std::string short_name(std::string name);

}  // namespace aesgate::witness
