#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aesgate::explain {

// The lines of `openssl speed`, one by one, as apps/speed.c of 0.9.7 to 3.x writes them.

/// Doing: "Doing aes-256 cbc for 3s on 16 size blocks: 258865 aes-256 cbc's in 3.01s".
struct Doing {
  std::string algorithm;
  double planned_seconds = 0;
  std::size_t bytes = 0;
  double calls = 0;
  double seconds = 0;
};
/// Does a line begin as such a line of a cipher or hash does? (Those of public-key algorithms have no size.)
[[nodiscard]] bool begins_doing(std::string_view line);
/// The whole line; nothing if something is missing or wrong.
[[nodiscard]] std::optional<Doing> parse_doing(std::string_view line);

/// The sizes of a table's head: "type  16 bytes  64 bytes"; empty if it is none. A head that was wrapped goes on in
/// lines of sizes alone.
[[nodiscard]] std::vector<std::size_t> parse_head(std::string_view line);
[[nodiscard]] std::vector<std::size_t> parse_more_head(std::string_view line);

/// Row: "aes-256 cbc  1378.20k  1449.54k". Rates in bytes a second; 0 for "infk" and its like.
struct Row {
  std::string algorithm;
  std::vector<double> rates;
};
/// The row, with as many rates as the line ends in; the algorithm is empty where a line has rates alone.
[[nodiscard]] Row parse_row(std::string_view line);

/// The fields of a line of -mr, without "+" and, under -multi, without "Got: " and " from N".
struct MachineLine {
  std::string kind;  // "DT", "R", "H", "F"
  std::vector<std::string> fields;
  std::optional<unsigned> child;
};
[[nodiscard]] std::optional<MachineLine> parse_machine_line(std::string_view line);

/// ProcessTimes: what time(1) says, in seconds; of bash, of POSIX (-p) or of GNU.
struct ProcessTimes {
  std::optional<double> elapsed, user, system;
};
[[nodiscard]] ProcessTimes parse_process_times(std::string_view line);

}  // namespace aesgate::explain
