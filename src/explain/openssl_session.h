#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/openssl_command.h"
#include "explain/speed_run.h"

namespace aesgate::explain {

/// OpensslSession: one start of `openssl speed`, while its lines come in.
struct OpensslSession {
  Invocation said;
  OpensslCommand command;
  std::vector<SpeedRun> runs;
  bool has_command = false, has_doing = false, has_table = false;
  bool several_processes = false;  // whose results come in any order
  bool lower_case_name = false;    // "aes-256-cbc": with -evp up to 1.1.1, without it from 3.0 on
  std::optional<bool> evp;

  void take_command(const OpensslCommand& given, const Place& place);

  /// What is said beside the figures: the version, the clock, what the CPU has, errors, the times of time(1). False if
  /// the line is none of that.
  bool take_remark(const std::string& line, const Place& place);

  /// The run of a name as the program prints it; null if there is none yet.
  [[nodiscard]] SpeedRun* find(std::string_view name);
  SpeedRun& find_or_add(std::string_view name, const Place& place);

  /// What follows for a run from all that was said.
  void settle(SpeedRun& run) const;

 private:
  /// "evp" stands for the name after -evp.
  [[nodiscard]] std::string_view real_name(std::string_view name) const;
  /// What the form of a name tells of -evp. Up to 1.1.1, "aes-256 cbc" is what is timed without.
  void note_form(std::string_view name);
};

/// Does the run have a sample of that size?
[[nodiscard]] bool has_size(const SpeedRun& run, std::size_t bytes);

}  // namespace aesgate::explain
