#include "witness/code_place.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "core/text_file.h"
#include "witness/program.h"

namespace aesgate::witness {
namespace {

std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 ? text.get() : symbol;
}

/// "FILE:LINE" or "FILE:LINE (discriminator 2)".
void read_line_of(std::string_view where, CodePlace& place) {
  where = where.substr(0, where.find(' '));
  const std::size_t colon = where.rfind(':');
  if (colon == where.npos || where.starts_with('?')) return;
  std::from_chars(where.data() + colon + 1, where.data() + where.size(), place.line);
  if (place.line != 0) place.file = last_component(std::string(where.substr(0, colon)));
}

/// Asks addr2line about places in `object`, by their addresses in it, all at once: it reads the debug information
/// first, which takes longest. It says "ADDRESS\nFUNCTION\nFILE:LINE\n" with functions inlined there the innermost
/// first, and
/// "??" for what it does not know.
void ask_addr2line(const std::string& object, std::map<std::uint64_t, CodePlace>& places) {
  const std::string program = find_program("addr2line");
  if (program.empty() || places.empty()) return;
  std::vector<std::string> words{program, "-a", "-f", "-C", "-i", "-e", object};
  for (const auto& [offset, place] : places) words.push_back(fmt::format("{:#x}", offset));
  const auto ran = run_program(words, std::chrono::seconds(60));
  if (ran.status != 0) return;
  const auto lines = split(ran.out, '\n');
  for (std::size_t i = 0; i + 2 < lines.size(); ++i) {
    if (!lines[i].starts_with("0x")) continue;
    std::uint64_t offset = 0;
    std::from_chars(lines[i].data() + 2, lines[i].data() + lines[i].size(), offset, 16);
    const auto place = places.find(offset);
    if (place == places.end()) continue;
    // Code that a compiler made of no line in particular is named by the function that it was inlined into.
    for (; place->second.line == 0 && i + 2 < lines.size() && !lines[i + 1].starts_with("0x"); i += 2) {
      if (!lines[i + 1].starts_with('?')) place->second.function = short_name(std::string(lines[i + 1]));
      read_line_of(lines[i + 2], place->second);
    }
  }
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::string in_object(const std::string& object, std::uint64_t offset) {
  return fmt::format("{}+{:#x}", last_component(object), offset);
}

}  // namespace

std::string last_component(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string short_name(std::string name) {
  static constexpr std::string_view anonymous = "(anonymous namespace)::";
  for (std::size_t at = name.find(anonymous); at != name.npos; at = name.find(anonymous))
    name.erase(at, anonymous.size());
  // What is between angle brackets or parentheses, at any depth.
  std::string shortened;
  int depth = 0;
  for (const char letter : name) {
    if (letter == '<' || letter == '(') ++depth;
    if (depth == 0) shortened += letter;
    if ((letter == '>' || letter == ')') && depth > 0) --depth;
  }
  if (shortened.ends_with(" const")) shortened.resize(shortened.size() - 6);
  if (const std::size_t blank = shortened.rfind(' '); blank != shortened.npos) shortened.erase(0, blank + 1);
  static constexpr std::string_view own = "aesgate::";
  if (shortened.starts_with(own)) shortened.erase(0, own.size());
  return shortened.empty() ? name : shortened;
}

CodePlace place_of(std::uint64_t address) {
  CodePlace place;
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
    return place;
  const std::string object = map->l_name[0] == '\0' ? this_program() : map->l_name;
  const std::uint64_t offset = address - map->l_addr;
  place.object = in_object(object, offset);
  if (info.dli_sname != nullptr) place.function = short_name(demangled(info.dli_sname));
  std::map<std::uint64_t, CodePlace> places{{offset, place}};
  ask_addr2line(object, places);
  return places.begin()->second;
}

LoadedProgram loaded_program() {
  LoadedProgram program;
  // The program is the first that it tells.
  const auto take = [](dl_phdr_info* info, std::size_t, void* to) {
    auto& loaded = *static_cast<LoadedProgram*>(to);
    loaded = {info->dlpi_addr, ~std::uint64_t{0}, 0};
    for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      loaded.begin = std::min<std::uint64_t>(loaded.begin, loaded.base + segment.p_vaddr);
      loaded.end = std::max<std::uint64_t>(loaded.end, loaded.base + segment.p_vaddr + segment.p_memsz);
    }
    return 1;
  };
  dl_iterate_phdr(take, &program);
  return program;
}

std::map<std::uint64_t, CodePlace> places_in_program(const std::set<std::uint64_t>& addresses,
                                                     const LoadedProgram& loaded) {
  const std::string file = this_program();
  std::map<std::uint64_t, CodePlace> by_offset, places;
  for (const std::uint64_t address : addresses)
    if (loaded.has(address)) by_offset[address - loaded.base].object = in_object(file, address - loaded.base);
  ask_addr2line(file, by_offset);
  for (const auto& [offset, place] : by_offset) places.emplace(loaded.base + offset, place);
  return places;
}

std::string to_text(const CodePlace& place) {
  const std::string where = place.line != 0 ? fmt::format("{}:{}", place.file, place.line) : place.object;
  if (place.function.empty()) return where.empty() ? "an unknown place" : where;
  return where.empty() ? place.function : fmt::format("{} ({})", place.function, where);
}

}  // namespace aesgate::witness
