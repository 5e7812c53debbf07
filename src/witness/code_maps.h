#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <sys/types.h>

namespace aesgate::witness {

/// CodeObject: what a stretch of executable memory was made from.
struct CodeObject {
  std::string path;  // as the kernel says it; empty for anonymous memory, "[vdso]" and its like for the kernel's
  std::string name;  // its last component; "anonymous memory"
  int file = -1;     // a descriptor on a file's contents, or -1

  [[nodiscard]] bool is_anonymous() const { return path.empty() || path.front() == '['; }
};

/// CodeSpot: an address of code by its object, so that two processes that run the same code are at the same spot.
struct CodeSpot {
  std::size_t object = 0;    // of CodeObjects
  std::uint64_t offset = 0;  // in the file; in anonymous memory: the address
  friend auto operator<=>(const CodeSpot&, const CodeSpot&) = default;
};

/// CodeObjects: all that were met. Files stay open, since they may be gone at the end.
class CodeObjects {
 public:
  CodeObjects() = default;
  ~CodeObjects();
  CodeObjects(const CodeObjects&) = delete;
  CodeObjects& operator=(const CodeObjects&) = delete;

  /// The number of what is mapped from `path`, device and inode in a process.
  std::size_t number_of(pid_t process, const std::string& path, const std::string& device, std::uint64_t inode);

  [[nodiscard]] const CodeObject& operator[](std::size_t number) const { return objects_[number]; }
  [[nodiscard]] std::size_t size() const { return objects_.size(); }

 private:
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::size_t> numbers_;
  std::vector<CodeObject> objects_;
};

/// CodeMaps: the executable memory of a process, as it was when it was last read.
class CodeMaps {
 public:
  /// Where an address is. Reads /proc/PID/maps if it is not known, or was not read for a while: code comes and goes.
  [[nodiscard]] std::optional<CodeSpot> find(pid_t process, std::uint64_t address, CodeObjects& objects);

  void forget() { stretches_.clear(); }

 private:
  struct Stretch {
    std::uint64_t begin, end, offset;
    std::size_t object;
  };

  void read(pid_t process, CodeObjects& objects);
  [[nodiscard]] const Stretch* stretch_at(std::uint64_t address) const;

  std::vector<Stretch> stretches_;
  unsigned looks_ = 0;
};

}  // namespace aesgate::witness
