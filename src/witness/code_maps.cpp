#include "witness/code_maps.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "witness/code_place.h"

namespace aesgate::witness {
namespace {

/// Reading the maps takes as long as some ten steps, and a program changes them rarely.
constexpr unsigned looks_per_reading = 4096;

}  // namespace

CodeObjects::~CodeObjects() {
  for (const CodeObject& object : objects_)
    if (object.file >= 0) close(object.file);
}

std::size_t CodeObjects::number_of(pid_t process, const std::string& path, const std::string& device,
                                   std::uint64_t inode) {
  const auto [known, is_new] = numbers_.try_emplace({path, device, inode}, objects_.size());
  if (!is_new) return known->second;
  CodeObject object{path, path.empty() ? "anonymous memory" : last_component(path), -1};
  // By the root directory of the process, which may be in a container.
  if (!object.is_anonymous())
    object.file = open(fmt::format("/proc/{}/root{}", process, path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  objects_.push_back(std::move(object));
  return known->second;
}

std::optional<CodeSpot> CodeMaps::find(pid_t process, std::uint64_t address, CodeObjects& objects) {
  const Stretch* stretch = stretch_at(address);
  if (stretch == nullptr || ++looks_ >= looks_per_reading) {
    read(process, objects);
    stretch = stretch_at(address);
  }
  if (stretch == nullptr) return std::nullopt;
  if (objects[stretch->object].is_anonymous()) return CodeSpot{stretch->object, address};
  return CodeSpot{stretch->object, address - stretch->begin + stretch->offset};
}

const CodeMaps::Stretch* CodeMaps::stretch_at(std::uint64_t address) const {
  for (const Stretch& stretch : stretches_)
    if (address >= stretch.begin && address < stretch.end) return &stretch;
  return nullptr;
}

void CodeMaps::read(pid_t process, CodeObjects& objects) {
  stretches_.clear();
  looks_ = 0;
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);) {
    // "55d0-55e0 r-xp 00001000 fe:01 1234   /usr/bin/true" (proc_pid_maps(5))
    std::uint64_t begin = 0, end = 0, offset = 0, inode = 0;
    char permissions[8] = {}, device[32] = {};
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %31s %" SCNu64 " %n", &begin, &end,
                    permissions, &offset, device, &inode, &path_at) < 6 ||
        permissions[2] != 'x')
      continue;
    const std::string path = line.substr(std::min(static_cast<std::size_t>(path_at), line.size()));
    stretches_.push_back({begin, end, offset, objects.number_of(process, path, device, inode)});
  }
}

}  // namespace aesgate::witness
