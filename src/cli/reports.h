#pragma once

#include <string>

#include "report/summary.h"

namespace aesgate {

/// Where the reports of a run go, besides the console: file names, "-" for standard output, empty for none.
struct ReportFiles {
  std::string json, junit;

  [[nodiscard]] bool use_stdout() const { return json == "-" || junit == "-"; }
};

/// An Error if a report could not be written, before the run that it would be of.
[[nodiscard]] Result<void> check_report_files(const ReportFiles& files);

/// The report for a person on standard output (on standard error if a file is "-"), and then the files.
[[nodiscard]] Result<void> write_reports(const ReportFiles& files, const Summary& summary, const Record& record);

/// `text` into the file of an option; "-" is standard output.
[[nodiscard]] Result<void> write_report(const char* option, const std::string& file, const std::string& text);
[[nodiscard]] Result<void> check_report_file(const char* option, const std::string& file);

}  // namespace aesgate
