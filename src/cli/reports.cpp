#include "cli/reports.h"

#include <unistd.h>

#include "cli/output.h"
#include "core/write_file.h"
#include "report/console.h"
#include "report/json.h"
#include "report/junit.h"

namespace aesgate {

Result<void> check_report_files(const ReportFiles& files) {
  if (!files.json.empty() && files.json == files.junit)
    return error("--junit: {} is the file of --json too", files.junit == "-" ? "standard output" : files.junit);
  if (const auto json = check_report_file("--json", files.json); !json) return json;
  return check_report_file("--junit", files.junit);
}

Result<void> write_reports(const ReportFiles& files, const Summary& summary, const Record& record) {
  if (files.use_stdout()) {
    print_to_stderr(to_console(summary, record, wants_colour(STDERR_FILENO)));
  } else if (const auto printed = print(to_console(summary, record, wants_colour(STDOUT_FILENO))); !printed) {
    return printed;
  }
  if (!files.json.empty())
    if (const auto wrote = write_report("--json", files.json, to_json(summary, record)); !wrote) return wrote;
  if (!files.junit.empty())
    if (const auto wrote = write_report("--junit", files.junit, to_junit(summary, record)); !wrote) return wrote;
  return {};
}

Result<void> write_report(const char* option, const std::string& file, const std::string& text) {
  if (file == "-") return print(text);
  const auto wrote = write_file(file, text);
  if (!wrote) return error("{}: {}", option, wrote.error().message);
  return {};
}

Result<void> check_report_file(const char* option, const std::string& file) {
  if (file.empty() || file == "-") return {};
  const auto writable = expect_writable(file);
  if (!writable) return error("{}: {}", option, writable.error().message);
  return {};
}

}  // namespace aesgate
