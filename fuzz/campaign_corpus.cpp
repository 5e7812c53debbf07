#include "fuzz/campaign_corpus.h"

#include "fuzz/campaign_folder.h"
#include "fuzz/campaign_run.h"

namespace aesgate {
namespace {

namespace fs = std::filesystem;

/// A merge runs each input once; what takes longer is no merge.
constexpr std::chrono::hours longest_merge{6};

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

Result<std::string> CampaignCorpus::minimise(const std::vector<fs::path>& others,
                                             const std::vector<std::string>& variables,
                                             const std::function<int()>& interrupted) {
  const fs::path fresh = beside(folder_, ".new"), old = beside(folder_, ".old");
  std::error_code problem;
  fs::remove_all(fresh, problem);
  if (const auto made = make_folder(fresh); !made) return tl::unexpected(made.error());
  auto campaign = CampaignFolder::make(work_ / "merge");
  if (!campaign) return tl::unexpected(campaign.error());
  // Of what is wrong an input of the corpus may show any amount: the jobs are there to say so.
  if (const auto told = campaign->write_known({CampaignFolder::everything}); !told) return tl::unexpected(told.error());
  std::vector<std::string> arguments = arguments_of(program_, artifacts());
  for (std::string argument : {std::string("-merge=1"), fresh.string(), folder_.string()})
    arguments.push_back(std::move(argument));
  for (const fs::path& other : others) arguments.push_back(other.string());
  const auto ran =
      run_to_end(program_.file, arguments, variables_with(variables, campaign->path()), longest_merge, interrupted);
  if (!ran) return tl::unexpected(ran.error());
  const bool done = ran->ended && ran->status == 0 && (!files_in(fresh).empty() || size() == 0);
  if (done) {
    fs::rename(folder_, old, problem);
    if (!problem) fs::rename(fresh, folder_, problem);
    if (problem) return error("{}: {}", folder_.string(), problem.message());
    fs::remove_all(old, problem);
    return std::string();
  }
  fs::remove_all(fresh, problem);
  if (!ran->ended) return std::string();
  return fmt::format("{}: its inputs could not be merged, and stay as they are: status {}{}{}", folder_.string(),
                     ran->status, ran->lines.empty() ? "" : ": ", ran->lines.empty() ? "" : ran->lines.back());
}

}  // namespace aesgate
