#include "cli/output.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "core/write_file.h"
#include "report/progress.h"

namespace aesgate {
namespace {

std::vector<int> ignored;

}  // namespace

void prepare_standard_streams() {
  // open() takes the lowest free number, so this fills the three in order. Read only: a write still fails.
  for (int descriptor = 0; descriptor >= 0 && descriptor <= STDERR_FILENO;) {
    descriptor = open("/dev/null", O_RDONLY);
    if (descriptor > STDERR_FILENO) close(descriptor);
  }
  // Writing then fails with EPIPE or EFBIG, which is a line and a status like other failures.
  for (const int signal : {SIGPIPE, SIGXFSZ})
    if (std::signal(signal, SIG_IGN) == SIG_DFL) ignored.push_back(signal);
}

const std::vector<int>& ignored_by_this_program() { return ignored; }

Result<void> print(std::string_view text) {
  const int wrong = write_all(STDOUT_FILENO, text);
  if (wrong != 0) return error("standard output: {}", std::strerror(wrong));
  return {};
}

void print_to_stderr(std::string_view text) {
  // There is nowhere left to say that it failed.
  [[maybe_unused]] const int unheard = write_all(STDERR_FILENO, text);
}

void print_error(std::string_view message) {
  std::string line = "aesgate: ";
  for (const char c : message) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  print_to_stderr(line + '\n');
}

bool wants_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal(descriptor) && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace aesgate
