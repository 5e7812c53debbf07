#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/reports.h"
#include "explain/explain_report.h"
#include "explain/read.h"

namespace aesgate {
namespace {

/// More than any benchmark writes; what is larger is another file.
constexpr std::size_t most_bytes = 16u << 20;

struct ExplainOptions {
  std::vector<std::string> files;
  std::string json;
};

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

/// All of a file; "-" is standard input.
Result<std::string> read_whole(const std::string& name, const std::string& file_name) {
  const std::unique_ptr<std::FILE, Close> file(file_name == "-" ? stdin : std::fopen(file_name.c_str(), "rbe"));
  if (!file) return error("{}: {}", name, std::strerror(errno));
  struct stat status {};
  if (fstat(fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode))
    return error("{}: is a directory; name a file", name);
  std::string text;
  std::array<char, 1u << 16> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), got);
    if (text.size() > most_bytes)
      return error("{}: is longer than {} MiB; is this the right file?", name, most_bytes >> 20);
  }
  if (std::ferror(file.get())) return error("{}: {}", name, std::strerror(errno));
  return text;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

Result<int> run_explain(const ExplainOptions& options) {
  if (std::count(options.files.begin(), options.files.end(), "-") > 1)
    return error("FILE: standard input can be read once only");
  for (const std::string& file : options.files)
    if (!options.json.empty() && options.json != "-" && file != "-" && same_file(file, options.json))
      return error("--json: {} is read by this run; name another file", options.json);
  if (const auto file = check_report_file("--json", options.json); !file) return tl::unexpected(file.error());
  explain::Reading reading;
  for (const std::string& file : options.files) {
    const std::string name = file == "-" ? "standard input" : file;
    const auto text = read_whole(name, file);
    if (!text) return tl::unexpected(text.error());
    if (const auto read = explain::read_text(*text, name, reading); !read) return tl::unexpected(read.error());
  }
  const explain::Explanation explanation = explain::explain(reading);
  if (options.json != "-")
    if (const auto printed = print(to_text(explanation)); !printed) return tl::unexpected(printed.error());
  if (!options.json.empty()) {
    // A text need not be UTF-8; a report must be.
    const std::string json =
        to_json(explanation).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
    if (const auto wrote = write_report("--json", options.json, json); !wrote) return tl::unexpected(wrote.error());
  }
  return exit_status(explanation);
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("explain", "What the saved output of a benchmark means, and what not");
  command->footer(
      "Examples:\n"
      "  aesgate explain saved.txt\n"
      "  aesgate explain without-engine.txt with-engine.txt     compares the runs\n"
      "  openssl speed -evp aes-128-cbc 2>&1 | aesgate explain -\n"
      "\n"
      "Reads openssl speed (the lines and the table, -mr, -multi, also as they come out of a mail), botan speed\n"
      "--format=json, bench-slope --csv, kcapi-speed, cryptsetup benchmark, and aesgate perf --json.\n"
      "Exit status: 0 explained, 1 the text shows a wrong result or an engine that was refused, 2 bad usage, or a "
      "text\n"
      "that cannot be read.");
  const auto options = std::make_shared<ExplainOptions>();
  command->add_option("FILE", options->files, "Saved outputs; - is standard input")->required()->type_name("");
  add_json_option(*command, options->json);
  command->callback([&action, options] { action = [options] { return run_explain(*options); }; });
}

}  // namespace aesgate
