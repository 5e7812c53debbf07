#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aesgate::witness {

/// ObjectSymbols: the names of an ELF file's functions, its own local ones too where it is not stripped.
class ObjectSymbols {
 public:
  /// Of a file that is open; what is no ELF file has no names.
  explicit ObjectSymbols(int file);

  /// Has it a symbol table beside the one for the loader? Without it, functions that are not exported have no name.
  [[nodiscard]] bool is_stripped() const { return is_stripped_; }

  /// The function that covers what is at `offset` in the file; nothing if none does. Never the nearest one only.
  [[nodiscard]] std::optional<std::string> function_at(std::uint64_t offset) const;

 private:
  struct Segment {
    std::uint64_t offset, size, address;
  };
  struct Function {
    std::uint64_t size;
    std::string name;
  };

  std::vector<Segment> segments_;
  std::multimap<std::uint64_t, Function> functions_;
  bool is_stripped_ = true;
};

}  // namespace aesgate::witness
