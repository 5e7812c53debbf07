// aesgate fuzz --time: libFuzzer's programs, which lie beside this one, for as long as may be.

#include "cli/fuzz_campaign.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/output.h"
#include "core/host.h"
#include "core/text_file.h"
#include "core/write_file.h"
#include "fuzz/campaign.h"
#include "report/summary.h"

namespace aesgate {
namespace {

namespace fs = std::filesystem;

constexpr const char* default_corpus = "aesgate-corpus";
constexpr std::array targets{"differential", "stream"};

/// Remembers the first of SIGINT, SIGTERM and SIGHUP, which do nothing else while it lives.
class Interruption {
 public:
  Interruption() {
    sigemptyset(&signals_);
    // What whoever started us ignores, such as nohup SIGHUP, stays ignored.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction present {};
      if (sigaction(signal, nullptr, &present) == 0 && present.sa_handler != SIG_IGN) sigaddset(&signals_, signal);
    }
    sigprocmask(SIG_BLOCK, &signals_, &previous_);
  }
  ~Interruption() { sigprocmask(SIG_SETMASK, &previous_, nullptr); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  int signal() {
    const timespec now{0, 0};
    for (int came = 0; (came = sigtimedwait(&signals_, nullptr, &now)) > 0;)
      if (signal_ == 0) signal_ = came;
    return signal_;
  }

 private:
  sigset_t signals_{}, previous_{};
  int signal_ = 0;
};

/// Where the programs may be: named, beside this one in its build or in the fuzz preset's, installed.
std::vector<fs::path> places() {
  if (const char* const named = std::getenv("AESGATE_FUZZ_TARGETS"); named != nullptr && *named != '\0')
    return {fs::absolute(named)};
  std::error_code wrong;
  const fs::path program = fs::read_symlink("/proc/self/exe", wrong).parent_path();
  return {program / "fuzz", program.parent_path() / "fuzz" / "fuzz",
          program.parent_path() / AESGATE_LIBRARY_FOLDER / "aesgate"};
}

Result<std::vector<FuzzProgram>> find_programs(const std::vector<std::string>& variables, const fs::path& scratch,
                                               int& status) {
  std::vector<std::string> looked_at;
  for (const fs::path& place : places()) {
    std::vector<FuzzProgram> programs;
    std::error_code wrong;
    for (const char* target : targets)
      if (fs::path file = place / fmt::format("fuzz_{}", target); fs::is_regular_file(file, wrong))
        programs.push_back({target, std::move(file)});
    looked_at.push_back(place.string());
    if (programs.empty()) continue;
    const auto unfit = find_unfit(programs.front(), variables, scratch);
    if (!unfit) return programs;
    if (unfit->why.ends_with("without libFuzzer")) continue;
    status = unfit->status;
    return error("{}", unfit->why);
  }
  status = 2;
  return error(
      "the libFuzzer programs are not in {}: build them with 'cmake --workflow --preset fuzz', or name their "
      "folder in AESGATE_FUZZ_TARGETS",
      fmt::join(looked_at, " or "));
}

Result<void> refuse_what_does_nothing(const CLI::App& command) {
  for (const char* option : {"--mode", "--key-bits", "--require", "--effort", "--vectors", "--json", "--junit",
                             "--isolate", "--no-isolate", "--time-limit"})
    if (command.get_option(option)->count() > 0) return error("{} does nothing with --time or --corpus", option);
  return {};
}

/// A folder's name for the backends: they do not share a corpus, whose inputs are those that matter to their code.
std::string folder_for(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-' && c != ','; },
      '_');
  std::ranges::replace(text, ',', '+');
  return text;
}

/// What the programs are told of the command line.
Result<void> add_backends(const RunOptions& run, CampaignOptions& options) {
  options.backends = fmt::format("{}", fmt::join(run.backends.backends, ","));
  if (run.backends.plugins.size() > 1) return error("--plugin: one at a time, with --time or --corpus");
  if (!run.backends.plugins.empty()) {
    const std::string& file = run.backends.plugins.front();
    const fs::path plugin = fs::absolute(file).lexically_normal();
    options.variables.push_back("AESGATE_PLUGIN=" + plugin.string());
    if (options.backends.empty()) options.backends = "all";
  }
  if (!options.backends.empty()) options.variables.push_back("AESGATE_BACKENDS=" + options.backends);
  if (options.backends.empty()) options.backends = "all";
  if (!run.emulated.empty())
    options.variables.push_back(fmt::format("AESGATE_EMULATE={}", fmt::join(run.emulated, ",")));
  const auto known = Backends::load(run.backends);
  if (!known) return tl::unexpected(known.error());
  const auto chosen = known->chosen();
  if (!chosen) return tl::unexpected(chosen.error());
  const auto arguments = known->replay_arguments();
  if (!arguments) return tl::unexpected(arguments.error());
  // The same for all backends of one plugin; of several built in, those with options differ, and the file names them.
  if (!arguments->empty()) options.replay_arguments = arguments->begin()->second;
  for (const std::string& name : run.emulated) options.replay_arguments += " --emulate " + name;
  return {};
}

std::string plural(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", grouped(count), one, count == 1 ? "" : "s");
}

Result<void> print_summary(const CampaignSummary& summary, const CampaignOptions& options) {
  std::string text;
  for (const CampaignFinding& finding : summary.findings) {
    text += fmt::format("{}\n", finding.line);
    if (!finding.replay.empty()) text += fmt::format("    replay: {}\n", finding.replay);
  }
  for (const CampaignSummary::Corpus& corpus : summary.corpora)
    text += fmt::format("{}: cov {}, ft {}; {} inputs at the start, {} now, in {}\n", corpus.target,
                        grouped(corpus.cov), grouped(corpus.ft), grouped(corpus.before), grouped(corpus.after),
                        fs::proximate(options.corpus / corpus.target).string());
  if (summary.unrepeated > 0)
    text += fmt::format("note: {} of the programs ended, and did not when the input ran again\n",
                        plural(summary.unrepeated, "process"));
  if (summary.findings.size() >= most_findings)
    text += fmt::format("note: ended early, with {} different findings\n", most_findings);
  const double rate = static_cast<double>(summary.executions) / std::max(summary.seconds.count(), 0.001);
  text += fmt::format("{}: {} executions on {} in {:.0f} s, {:.0f}/s; {}{}{}\n",
                      summary.findings.empty() ? "PASS" : "FAIL", grouped(summary.executions), options.backends,
                      summary.seconds.count(), rate, plural(summary.findings.size(), "finding"),
                      summary.duplicates > 0 ? fmt::format(", {} more of the same", grouped(summary.duplicates)) : "",
                      summary.signal != 0 && options.time ? "; interrupted before its time" : "");
  return print(text);
}

}  // namespace

void add_campaign_options(CLI::App& command, CampaignRequest& request) {
  command
      .add_option("--time", request.time,
                  "Run libFuzzer's programs for so long, instead of a bounded number of cases: 90s, 10m, 1h, 2d or "
                  "plain seconds (default with --corpus: until interrupted)")
      ->type_name("TIME");
  command
      .add_option("--corpus", request.corpus,
                  fmt::format("The same; and where its inputs are kept from one run to the next (default with --time: "
                              "{})",
                              default_corpus))
      ->type_name("DIR");
}

Result<std::chrono::seconds> parse_duration(const std::string& text) {
  constexpr std::size_t most = std::size_t{366} * 86400;
  const std::size_t unit = text.empty()         ? 0
                           : text.back() == 's' ? 1
                           : text.back() == 'm' ? 60
                           : text.back() == 'h' ? 3600
                           : text.back() == 'd' ? 86400
                                                : 0;
  const auto number = parse_number(std::string_view(text).substr(0, text.size() - (unit != 0 ? 1 : 0)));
  if (!number || *number == 0 || *number > most / std::max<std::size_t>(unit, 1))
    return error("--time: \"{}\" is no time of at most a year, such as 90s, 10m, 1h, 2d or 3600", excerpt(text));
  return std::chrono::seconds(*number * std::max<std::size_t>(unit, 1));
}

Result<int> run_fuzz_campaign(const CLI::App& command, const RunOptions& run, const CampaignRequest& request) {
  if (const auto refused = refuse_what_does_nothing(command); !refused) return tl::unexpected(refused.error());
  CampaignOptions options;
  if (!request.time.empty()) {
    const auto time = parse_duration(request.time);
    if (!time) return tl::unexpected(time.error());
    options.time = *time;
  }
  const Result<unsigned> jobs = parse_jobs(run.jobs, describe_host().cpus);
  if (!jobs) return tl::unexpected(jobs.error());
  options.jobs = *jobs;
  if (!run.seed.source.empty() && run.seed.text != "random") {
    const auto seed = parse_number(run.seed.text);
    if (!seed) return error("{}: {}", run.seed.source, seed.error().message);
    options.seed = *seed;
  }
  if (const auto added = add_backends(run, options); !added) return tl::unexpected(added.error());
  if (const auto cases = check_cases_folder(run.cases); !cases) return tl::unexpected(cases.error());
  options.cases = run.cases.text;
  const fs::path corpus = fs::absolute(request.corpus.empty() ? default_corpus : request.corpus).lexically_normal();
  if (const auto writable = expect_writable_folder(corpus); !writable)
    return error("--corpus: {}", writable.error().message);
  options.corpus = corpus / folder_for(options.backends);
  // Inputs that lie in the folder itself were put there by somebody, and stay.
  std::error_code problem;
  for (fs::directory_iterator entry(corpus, problem), end; !problem && entry != end; entry.increment(problem))
    if (std::error_code ignored; entry->is_regular_file(ignored)) options.given.push_back(entry->path());

  Interruption interruption;
  options.interrupted = [&interruption] { return interruption.signal(); };
  options.say = [](std::string_view line) { print_to_stderr(fmt::format("{}\n", line)); };
  int status = 0;
  auto programs = find_programs(options.variables, options.corpus / fmt::format("probe-{}", getpid()), status);
  if (!programs && status == 2) return tl::unexpected(programs.error());
  if (!programs) {
    print_error(programs.error().message);
    return 3;
  }
  options.programs = std::move(*programs);
  const auto summary = run_campaign(options);
  if (!summary) {
    print_error(summary.error().message);
    return 3;
  }
  if (summary->executions == 0 && summary->findings.empty() && summary->signal == 0) {
    print_error("nothing was executed in that time: name a longer --time");
    return 3;
  }
  if (const auto printed = print_summary(*summary, options); !printed) return tl::unexpected(printed.error());
  if (!summary->findings.empty()) return 1;
  // Without --time, a signal is its regular end.
  return summary->signal != 0 && options.time ? 128 + summary->signal : 0;
}

}  // namespace aesgate
