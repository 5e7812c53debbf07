#include "fuzz/campaign_job.h"

#include <algorithm>
#include <thread>

#include "fuzz/campaign_run.h"

namespace aesgate {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds farewell{3};
constexpr std::chrono::milliseconds first_wait{100}, longest_wait{60'000};

}  // namespace

Result<CampaignJob> CampaignJob::make(unsigned number, const fs::path& work) {
  std::error_code problem;
  fs::create_directories(work / "artifacts", problem);
  if (problem) return error("{}: {}", work.string(), problem.message());
  auto folder = CampaignFolder::make(work);
  if (!folder) return tl::unexpected(folder.error());
  return CampaignJob(number, work, std::move(*folder));
}

Result<void> CampaignJob::start(const FuzzProgram& program, const fs::path& corpus, std::chrono::seconds slice,
                                const CampaignOptions& options, const std::set<std::string>& known) {
  program_ = &program;
  progress_ = {};
  executions_before_ = executions();
  folder_.forget_executing();
  for (const fs::path& file : files_in(work_ / "artifacts")) {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
  if (const auto written = folder_.write_known(known); !written) return written;
  std::vector<std::string> arguments = arguments_of(program, work_ / "artifacts");
  arguments.push_back(fmt::format("-max_total_time={}", slice.count()));
  // libFuzzer takes 32 bits, and 0 as none.
  if (options.seed)
    arguments.push_back(fmt::format("-seed={}", 1 + (*options.seed + 1000 * number_ + starts) % 0xffffffff));
  arguments.push_back(corpus.string());
  auto process = ChildProcess::start(program.file, arguments, variables_with(options.variables, work_));
  if (!process) return tl::unexpected(process.error());
  process_ = std::move(*process);
  ++starts;
  return {};
}

bool CampaignJob::poll() {
  if (!process_) return false;
  const bool ended = process_->has_ended();
  for (const std::string& line : process_->read_lines())
    if (const auto progress = parse_progress(line)) progress_ = *progress;
  if (!ended) return false;
  if (process_->status() != 0 || folder_.is_executing())
    end_ = TargetEnd{process_->status(),
                     {process_->last_lines().begin(), process_->last_lines().end()},
                     input_of_end(),
                     folder_.take_found()};
  process_.reset();
  return true;
}

/// libFuzzer's file of it; else what was being executed, since a backend can end a process without a word.
std::optional<Bytes> CampaignJob::input_of_end() const {
  const auto files = files_in(work_ / "artifacts");
  const auto is_input = [](const fs::path& file) { return file.extension().empty(); };
  if (const auto file = std::ranges::find_if(files, is_input); file != files.end()) {
    const std::string content = content_of(*file);
    return Bytes(content.begin(), content.end());
  }
  return executions() > executions_before_ ? std::optional(folder_.last_input()) : std::nullopt;
}

std::optional<TargetEnd> CampaignJob::take_end() { return std::exchange(end_, std::nullopt); }

void CampaignJob::stop() {
  if (!process_) return;
  process_->ask_to_end();
  for (const auto end = Clock::now() + farewell; !process_->has_ended() && Clock::now() < end;) {
    (void)process_->read_lines();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  process_.reset();
}

unsigned CampaignJob::ended_badly() {
  const auto wait = std::min<std::chrono::milliseconds>(first_wait * (1u << std::min(bad_ends_, 10u)), longest_wait);
  next_start_ = Clock::now() + wait;
  return ++bad_ends_;
}

}  // namespace aesgate
