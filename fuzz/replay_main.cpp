// main() of a fuzz target without libFuzzer, for any compiler: runs the target once on each file that is named, and on
// each file in the folders that are. Arguments that begin with "-" are the target's, as with libFuzzer.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "core/result.h"
#include "fuzz/target.h"

#pragma weak LLVMFuzzerInitialize

namespace {

namespace fs = std::filesystem;
using aesgate::Result;

/// All files that an argument stands for, in an order that does not depend on the file system.
Result<std::vector<fs::path>> files_of(const fs::path& argument) {
  std::error_code problem;
  if (fs::is_regular_file(argument, problem)) return std::vector{argument};
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator entry(argument, problem), end; !problem && entry != end;
       entry.increment(problem))
    if (entry->is_regular_file()) files.push_back(entry->path());
  if (problem) return aesgate::error("{}: {}", argument.string(), problem.message());
  std::ranges::sort(files);
  return files;
}

Result<void> replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return aesgate::error("{}: it cannot be read", path.string());
  // A copy of exactly this size, so that AddressSanitizer sees a read past its end.
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return {};
}

int fail(const aesgate::Error& error) {
  fmt::print(stderr, "{}\n", error.message);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&argc, &argv);
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') continue;
    const auto files = files_of(argv[i]);
    if (!files) return fail(files.error());
    for (const fs::path& path : *files) {
      if (const auto done = replay(path); !done) return fail(done.error());
      ++count;
    }
  }
  if (count == 0) return fail({fmt::format("{}: no input; name files, or folders that hold some", argv[0])});
  fmt::print("{} inputs, no finding\n", count);
  return 0;
}
