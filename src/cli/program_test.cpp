#include "cli/program_test.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace aesgate {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (std::string& string : strings) all.push_back(string.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

ProgramTest::ProgramTest() {
  static std::atomic<unsigned> count = 0;
  folder = std::filesystem::temp_directory_path() / fmt::format("aesgate_cli_{}_{}", getpid(), count++);
  std::filesystem::create_directories(folder);
}

ProgramTest::~ProgramTest() { std::filesystem::remove_all(folder); }

Ran ProgramTest::run(std::vector<std::string> arguments, const std::vector<std::string>& variables,
                     const std::string& out_file) {
  // Beside the folder and not in it: the tests look at what a run leaves there.
  const std::string out = folder.string() + ".out";
  const std::string err = folder.string() + ".err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out_file.empty() ? out.c_str() : out_file.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  arguments.insert(arguments.begin(), AESGATE_PROGRAM);
  std::vector<std::string> environment = variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("AESGATE_")) environment.emplace_back(*variable);
  pid_t process = 0;
  const int wrong = posix_spawn(&process, AESGATE_PROGRAM, &actions, nullptr, pointers(arguments).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (wrong != 0) return {};
  int status = 0;
  waitpid(process, &status, 0);
  Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return ran;
}

void ProgramTest::write(const std::string& file, const std::string& text) const {
  std::ofstream(folder / file, std::ios::binary) << text;
}

std::string ProgramTest::read(const std::string& file) const { return contents(folder / file); }

std::vector<std::string> ProgramTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

std::string ProgramTest::appendix_c1(const std::string& fields, const std::string& expected) {
  return fields +
         "mode = ECB\ndirection = encrypt\nkey = 000102030405060708090a0b0c0d0e0f\n"
         "input = 00112233445566778899aabbccddeeff\nexpected = " +
         expected + '\n';
}

}  // namespace aesgate
