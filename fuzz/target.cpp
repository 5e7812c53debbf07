#include "fuzz/target.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace aesgate {

void report_finding(std::string_view line) {
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace aesgate
