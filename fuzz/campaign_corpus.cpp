#include "fuzz/campaign_corpus.h"

#include "core/write_file.h"
#include "fuzz/campaign_folder.h"
#include "fuzz/campaign_run.h"

namespace aesgate {
namespace {

namespace fs = std::filesystem;

/// A merge runs each input once; what takes longer is no merge.
constexpr std::chrono::hours longest_merge{6};

/// A process for each input that ends one and says nothing.
constexpr int most_silent_ends = 8;

Result<void> make_folder(const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return error("{}: {}", folder.string(), problem.message());
  return {};
}

fs::path beside(const fs::path& folder, const char* ending) { return folder.string() + ending; }

}  // namespace

CampaignCorpus::CampaignCorpus(const FuzzProgram& program, fs::path folder, fs::path work)
    : program_(program), folder_(std::move(folder)), work_(std::move(work)) {}

std::size_t CampaignCorpus::size() const { return files_in(folder_).size(); }

Result<void> CampaignCorpus::prepare() {
  std::error_code problem;
  // Between two renamings of minimise() there is no folder, but the one of before.
  if (!fs::exists(folder_, problem) && fs::exists(beside(folder_, ".old"), problem))
    fs::rename(beside(folder_, ".old"), folder_, problem);
  for (const char* ending : {".old", ".new"}) fs::remove_all(beside(folder_, ending), problem);
  if (const auto made = make_folder(folder_); !made) return made;
  return make_folder(artifacts());
}

void CampaignCorpus::add(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& file : files_in(folder))
    fs::copy_file(file, folder_ / file.filename(), fs::copy_options::skip_existing, ignored);
}

void CampaignCorpus::remove(const Bytes& input) {
  const std::string content(input.begin(), input.end());
  std::error_code ignored;
  for (const fs::path& file : files_in(folder_))
    if (fs::file_size(file, ignored) == content.size() && content_of(file) == content) fs::remove(file, ignored);
}

Result<std::string> CampaignCorpus::minimise(const std::vector<std::string>& variables,
                                             const std::function<int()>& interrupted) {
  const fs::path fresh = beside(folder_, ".new"), old = beside(folder_, ".old");
  std::error_code problem;
  RunToEnd ran;
  for (int ends = 0; ends < most_silent_ends; ++ends) {
    fs::remove_all(fresh, problem);
    if (const auto made = make_folder(fresh); !made) return tl::unexpected(made.error());
    auto campaign = CampaignFolder::make(work_ / "merge");
    if (!campaign) return tl::unexpected(campaign.error());
    // Of what is wrong an input of the corpus may show any amount: the jobs are there to say so.
    if (const auto told = campaign->write_known({CampaignFolder::everything}); !told)
      return tl::unexpected(told.error());
    std::vector<std::string> arguments = arguments_of(program_, artifacts());
    for (std::string argument : {std::string("-merge=1"), fresh.string(), folder_.string()})
      arguments.push_back(std::move(argument));
    auto one =
        run_to_end(program_.file, arguments, variables_with(variables, campaign->path()), longest_merge, interrupted);
    if (!one) return tl::unexpected(one.error());
    ran = std::move(*one);
    // libFuzzer takes the inputs up to one at which a backend ended the process with status 0 for all that there are.
    const bool silent = ran.ended && ran.status == 0 && campaign->is_executing();
    if (!silent) break;
    const Bytes input = campaign->last_input();
    const auto kept = write_file(artifacts() / fmt::format("ended-{}", ends),
                                 {reinterpret_cast<const char*>(input.data()), input.size()});
    if (!kept) return tl::unexpected(kept.error());
    remove(input);
    ran.status = -1;
  }
  const bool done = ran.ended && ran.status == 0 && (!files_in(fresh).empty() || size() == 0);
  if (done) {
    fs::rename(folder_, old, problem);
    if (!problem) fs::rename(fresh, folder_, problem);
    if (problem) return error("{}: {}", folder_.string(), problem.message());
    fs::remove_all(old, problem);
    return std::string();
  }
  fs::remove_all(fresh, problem);
  if (!ran.ended) return std::string();
  return fmt::format("{}: its inputs cannot be merged, since some end the process, and stay as they are",
                     folder_.string());
}

}  // namespace aesgate
