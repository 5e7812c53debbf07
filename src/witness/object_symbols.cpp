#include "witness/object_symbols.h"

#include <cstdlib>
#include <memory>

#include <cxxabi.h>
#include <gelf.h>

#include "witness/code_place.h"

namespace aesgate::witness {
namespace {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 ? short_name(text.get()) : symbol;
}

/// Functions, and what assembly has not given a type.
bool may_be_code(const GElf_Sym& symbol) {
  const auto type = GELF_ST_TYPE(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE &&
         (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

}  // namespace

ObjectSymbols::ObjectSymbols(int file) {
  if (file < 0 || elf_version(EV_CURRENT) == EV_NONE) return;
  const std::unique_ptr<Elf, EndElf> elf(elf_begin(file, ELF_C_READ, nullptr));
  std::size_t count = 0;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || elf_getphdrnum(elf.get(), &count) != 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &header) != nullptr && header.p_type == PT_LOAD)
      segments_.push_back({header.p_offset, header.p_filesz, header.p_vaddr});
  }
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
    if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
    if (header.sh_type == SHT_SYMTAB) is_stripped_ = false;
    Elf_Data* const data = elf_getdata(section, nullptr);
    for (std::size_t i = 0; data != nullptr && i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || !may_be_code(symbol)) continue;
      const char* const name = elf_strptr(elf.get(), header.sh_link, symbol.st_name);
      if (name != nullptr && *name != '\0' && *name != '$')  // "$x" and its like are for disassemblers
        functions_.emplace(symbol.st_value, Function{symbol.st_size, name});
    }
  }
}

std::optional<std::string> ObjectSymbols::function_at(std::uint64_t offset) const {
  for (const Segment& segment : segments_) {
    if (offset < segment.offset || offset - segment.offset >= segment.size) continue;
    const std::uint64_t address = offset - segment.offset + segment.address;
    // Few functions lie within others, and those are near.
    constexpr int most_looks = 64;
    auto at = functions_.upper_bound(address);
    for (int looks = 0; at != functions_.begin() && looks < most_looks; ++looks) {
      --at;
      const Function& function = at->second;
      if (function.size != 0 && address - at->first < function.size) return readable(function.name.c_str());
      // Assembly that states no size: up to the next name, which only a whole table of symbols tells.
      if (function.size == 0 && looks == 0 && !is_stripped_) return readable(function.name.c_str());
    }
  }
  return std::nullopt;
}

}  // namespace aesgate::witness
