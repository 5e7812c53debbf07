#include "fuzz/campaign.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include "fuzz/campaign_corpus.h"
#include "fuzz/campaign_findings.h"
#include "fuzz/campaign_job.h"
#include "fuzz/campaign_run.h"

namespace aesgate {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

/// How long a process runs before one of the other target takes its place: libFuzzer's memory grows with time.
constexpr seconds longest_slice{600}, shortest_slice{2};
constexpr std::chrono::hours between_merges{6};
/// Ends in a row that come to no finding, of one job: then the programs do not run here.
constexpr unsigned most_bad_ends = 6;
constexpr int interval_ms = 100;

/// A folder that no other campaign uses: for as long as this lives.
class Lock {
 public:
  static Result<Lock> take(const fs::path& folder) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem) return error("{}: {}", folder.string(), problem.message());
    const fs::path file = folder / "lock";
    const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return error("{}: {}", file.string(), std::strerror(errno));
    Lock lock(descriptor);
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
      return error("{}: another campaign is using this folder; name another --corpus, or end that one",
                   folder.string());
    return lock;
  }
  Lock(Lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Lock& operator=(Lock&&) = delete;
  ~Lock() {
    if (descriptor_ >= 0) close(descriptor_);
  }

 private:
  explicit Lock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// A folder for what passes, gone at the end.
class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) { clear(); }
  ~Scratch() { clear(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  void clear() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path path_;
};

std::string duration_text(double value) {
  const auto whole = static_cast<std::uint64_t>(value);
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options)
      : options_(options),
        scratch_(options.corpus / "work"),
        findings_(options_, scratch_.path() / "again"),
        start_(Clock::now()),
        last_merge_(start_) {
    for (const FuzzProgram& program : options_.programs)
      corpora_.emplace_back(program, options_.corpus / program.target, scratch_.path() / ("merge-" + program.target));
    summary_.corpora.resize(corpora_.size());
  }

  Result<CampaignSummary> run() {
    if (const auto ran = prepare().and_then([this] { return run_jobs(); }); !ran) return tl::unexpected(ran.error());
    for (CampaignJob& job : jobs_) job.stop();
    summary_.seconds = std::chrono::duration<double>(elapsed());
    // In a hurry the corpus stays as it is: the next campaign begins with the same.
    if (options_.interrupted() == 0)
      if (const auto merged = merge(false); !merged) return tl::unexpected(merged.error());
    summarise();
    return std::move(summary_);
  }

 private:
  Result<void> prepare() {
    for (std::size_t i = 0; i < corpora_.size(); ++i) {
      if (const auto prepared = corpora_[i].prepare(); !prepared) return prepared;
      summary_.corpora[i].target = options_.programs[i].target;
      summary_.corpora[i].before = corpora_[i].size();
    }
    if (const auto merged = merge(true); !merged) return merged;
    for (unsigned i = 0; i < options_.jobs; ++i) {
      auto job = CampaignJob::make(i, scratch_.path() / fmt::format("job-{}", i));
      if (!job) return tl::unexpected(job.error());
      jobs_.push_back(std::move(*job));
    }
    return {};
  }

  /// Minimises every corpus, at first with the seeds. What ends a process of a merge is a finding, too.
  Result<void> merge(bool with_seeds) {
    for (std::size_t i = 0; i < corpora_.size(); ++i) {
      const FuzzProgram& program = options_.programs[i];
      const std::size_t before = corpora_[i].size();
      if (with_seeds) {
        corpora_[i].add(program.file.parent_path() / "corpus" / program.target);
        if (program.target == "differential" && !options_.given.empty()) corpora_[i].add(copy_given());
      }
      auto said = corpora_[i].minimise(options_.variables, options_.interrupted);
      if (!said) return tl::unexpected(said.error());
      if (!said->empty()) options_.say(*said);
      if (options_.interrupted() != 0) return {};
      options_.say(fmt::format("{}: {} inputs{}, minimised to {}", program.target, before,
                               with_seeds ? " and the seeds" : "", corpora_[i].size()));
      if (const auto taken = take_artifacts(program, corpora_[i]); !taken) return taken;
    }
    last_merge_ = Clock::now();
    return {};
  }

  /// libFuzzer takes folders, and all that is in them.
  fs::path copy_given() {
    const fs::path folder = scratch_.path() / "given";
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    for (const fs::path& file : options_.given)
      fs::copy_file(file, folder / file.filename(), fs::copy_options::overwrite_existing, ignored);
    return folder;
  }

  Result<void> take_artifacts(const FuzzProgram& program, const CampaignCorpus& corpus) {
    for (const fs::path& file : files_in(corpus.artifacts())) {
      const std::string content = content_of(file);
      TargetEnd end;
      end.input = Bytes(content.begin(), content.end());
      if (findings_.all().size() < most_findings && options_.interrupted() == 0)
        if (const auto taken = findings_.take(program, end); !taken) return tl::unexpected(taken.error());
      std::error_code ignored;
      fs::remove(file, ignored);
    }
    return {};
  }

  [[nodiscard]] double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  [[nodiscard]] bool is_over() const {
    return options_.interrupted() != 0 || findings_.all().size() >= most_findings ||
           (options_.time && elapsed() >= static_cast<double>(options_.time->count()));
  }

  /// A quarter of the time, so that each target has its turn in each job; and no longer than is left.
  [[nodiscard]] seconds slice() const {
    if (!options_.time) return longest_slice;
    const seconds left(static_cast<long>(std::ceil(static_cast<double>(options_.time->count()) - elapsed())));
    return std::clamp(std::min(*options_.time / 4, left), shortest_slice, longest_slice);
  }

  Result<void> run_jobs() {
    while (!is_over()) {
      for (std::size_t i = 0; i < jobs_.size(); ++i)
        if (!jobs_[i].runs() && jobs_[i].may_start())
          if (const auto started = start(jobs_[i], i); !started) return started;
      wait();
      for (CampaignJob& job : jobs_)
        if (const auto looked = look_at(job); !looked) return looked;
      say_progress();
      if (Clock::now() - last_merge_ >= between_merges) {
        for (CampaignJob& job : jobs_) job.stop();
        if (const auto merged = merge(false); !merged) return merged;
      }
    }
    return {};
  }

  Result<void> start(CampaignJob& job, std::size_t number) {
    const std::size_t which = (number + job.starts) % corpora_.size();
    return job.start(options_.programs[which], corpora_[which].folder(), slice(), options_, findings_.known());
  }

  void wait() {
    std::vector<pollfd> waiting;
    for (const CampaignJob& job : jobs_)
      if (job.descriptor() >= 0) waiting.push_back({job.descriptor(), POLLIN, 0});
    ::poll(waiting.data(), waiting.size(), interval_ms);
  }

  Result<void> look_at(CampaignJob& job) {
    const bool ended = job.poll();
    if (job.runs() || ended) note_progress(job);
    if (!ended || options_.interrupted() != 0) return {};
    auto end = job.take_end();
    if (!end) {
      job.ended_well();
      return {};
    }
    const auto taken = findings_.take(job.program(), *end);
    if (!taken) return tl::unexpected(taken.error());
    using enum CampaignFindings::Taken;
    if (*taken == passed_over) {
      job.ended_well();
      return {};
    }
    if (end->input)
      for (CampaignCorpus& corpus : corpora_)
        if (corpus.folder().filename() == job.program().target) corpus.remove(*end->input);
    // What ends processes again and again is waited out; what never was about an input is no fuzzing.
    if (const unsigned ends = job.ended_badly(); *taken == not_again && ends >= most_bad_ends)
      return error("{} ended {} times in a row, and not on one input: status {}{}{}", job.program().file.string(), ends,
                   end->status, end->lines.empty() ? "" : ": ", end->lines.empty() ? "" : end->lines.back());
    return {};
  }

  void note_progress(const CampaignJob& job) {
    for (CampaignSummary::Corpus& corpus : summary_.corpora) {
      if (corpus.target != job.program().target) continue;
      corpus.cov = std::max(corpus.cov, job.progress().cov);
      corpus.ft = std::max(corpus.ft, job.progress().ft);
      if (job.progress().corpus > 0) corpus.after = job.progress().corpus;
    }
  }

  [[nodiscard]] std::uint64_t executions() const {
    std::uint64_t sum = 0;
    for (const CampaignJob& job : jobs_) sum += job.executions();
    return sum;
  }

  /// Every ten seconds in the first two minutes, and then every minute.
  void say_progress() {
    const double now = elapsed();
    if (now < next_progress_) return;
    next_progress_ = now + (now < 120 ? 10 : 60);
    const std::uint64_t total = executions();
    const double rate = static_cast<double>(total - said_executions_) / std::max(now - said_at_, 0.001);
    said_executions_ = total;
    said_at_ = now;
    std::string line = fmt::format("{:>9}  {:.0f} executions/s, {} in all", duration_text(now), rate, total);
    for (const CampaignSummary::Corpus& corpus : summary_.corpora)
      if (corpus.cov > 0)
        line += fmt::format("; {}: cov {}, ft {}, corpus {}", corpus.target, corpus.cov, corpus.ft, corpus.after);
    options_.say(line + fmt::format("; {} findings", findings_.all().size()));
  }

  void summarise() {
    summary_.executions = executions();
    summary_.findings = findings_.all();
    summary_.duplicates = findings_.duplicates();
    summary_.unrepeated = findings_.unrepeated();
    summary_.signal = options_.interrupted();
    for (std::size_t i = 0; i < corpora_.size(); ++i) summary_.corpora[i].after = corpora_[i].size();
  }

  const CampaignOptions& options_;
  Scratch scratch_;
  CampaignFindings findings_;
  std::vector<CampaignCorpus> corpora_;
  std::vector<CampaignJob> jobs_;
  CampaignSummary summary_;
  Clock::time_point start_, last_merge_;
  double next_progress_ = 5, said_at_ = 0;
  std::uint64_t said_executions_ = 0;
};

}  // namespace

std::optional<Unfit> find_unfit(const FuzzProgram& program, const std::vector<std::string>& variables,
                                const fs::path& scratch) {
  const Scratch folder(scratch);
  std::error_code problem;
  fs::create_directories(folder.path() / "empty", problem);
  if (problem) return Unfit{fmt::format("{}: {}", scratch.string(), problem.message()), 2};
  // One input, of no byte. A backend that fails on it is for the campaign to find.
  const auto ran = run_to_end(
      program.file,
      {fmt::format("-artifact_prefix={}/", folder.path().string()), "-runs=0", (folder.path() / "empty").string()},
      variables, seconds(120), [] { return 0; });
  if (!ran) return Unfit{ran.error().message, 3};
  const std::string last = ran->lines.empty() ? "it says nothing" : ran->lines.back();
  if (ran->status == 2 || ran->status == 3) {
    // Without libFuzzer it asks for inputs.
    const bool is_ours = last.find("no input; name files") == std::string::npos;
    return Unfit{is_ours ? last : fmt::format("{} is built without libFuzzer", program.file.string()),
                 is_ours ? ran->status : 2};
  }
  return std::nullopt;
}

Result<CampaignSummary> run_campaign(const CampaignOptions& options) {
  const auto lock = Lock::take(options.corpus);
  if (!lock) return tl::unexpected(lock.error());
  return Campaign(options).run();
}

}  // namespace aesgate
