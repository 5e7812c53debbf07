#include "fuzz/campaign_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/text_file.h"
#include "core/write_file.h"

namespace aesgate {
namespace {

namespace fs = std::filesystem;

/// The lines of a small file; none if it is not there.
std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text + "\n";
}

}  // namespace

Result<CampaignFolder> CampaignFolder::open(const fs::path& path, bool create) {
  const fs::path file = path / "state";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_TRUNC : 0), 0600);
  if (descriptor < 0) return error("{}: {}", file.string(), std::strerror(errno));
  void* memory = MAP_FAILED;
  if (!create || ftruncate(descriptor, sizeof(SharedState)) == 0)
    memory = mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const int wrong = errno;
  close(descriptor);
  if (memory == MAP_FAILED) return error("{}: {}", file.string(), std::strerror(wrong));
  return CampaignFolder(path, static_cast<SharedState*>(memory));
}

Result<CampaignFolder> CampaignFolder::make(const fs::path& path) {
  std::error_code problem;
  fs::create_directories(path, problem);
  if (problem) return error("{}: {}", path.string(), problem.message());
  auto folder = open(path, true);
  if (!folder) return folder;
  if (const auto written = folder->write_known({}); !written) return tl::unexpected(written.error());
  fs::remove(path / "finding", problem);
  return folder;
}

Result<std::optional<CampaignFolder>> CampaignFolder::from_environment() {
  const char* const path = std::getenv(campaign_variable);
  if (path == nullptr || *path == '\0') return std::optional<CampaignFolder>();
  auto folder = open(path, false);
  if (!folder) return error("{}: {}", campaign_variable, folder.error().message);
  for (std::string& key : lines_of(folder->path_ / "known")) folder->known_.insert(std::move(key));
  return std::optional(std::move(*folder));
}

CampaignFolder::CampaignFolder(CampaignFolder&& other) noexcept
    : path_(std::move(other.path_)), state_(std::exchange(other.state_, nullptr)), known_(std::move(other.known_)) {}

CampaignFolder& CampaignFolder::operator=(CampaignFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(state_, other.state_);
  std::swap(known_, other.known_);
  return *this;
}

CampaignFolder::~CampaignFolder() {
  if (state_ != nullptr) munmap(state_, sizeof(SharedState));
}

void CampaignFolder::note_input(ByteView input) {
  state_->executions.fetch_add(1, std::memory_order_relaxed);
  const std::size_t size = std::min(input.size(), sizeof state_->input);
  if (size > 0) std::memcpy(state_->input, input.data(), size);
  state_->input_size.store(static_cast<std::uint32_t>(size), std::memory_order_relaxed);
  state_->is_executing.store(1, std::memory_order_relaxed);
}

bool CampaignFolder::knows(std::string_view key) const { return known_.contains(everything) || known_.contains(key); }

Result<void> CampaignFolder::tell(const FoundByTarget& found) {
  return write_file(path_ / "finding",
                    one_line(found.key) + one_line(found.first) + one_line(found.line) + one_line(found.file));
}

Result<void> CampaignFolder::write_known(const std::set<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += one_line(key);
  return write_file(path_ / "known", text);
}

Bytes CampaignFolder::last_input() const {
  const std::size_t size = std::min<std::size_t>(state_->input_size, sizeof state_->input);
  return {state_->input, state_->input + size};
}

std::optional<FoundByTarget> CampaignFolder::take_found() {
  const std::vector<std::string> lines = lines_of(path_ / "finding");
  std::error_code ignored;
  fs::remove(path_ / "finding", ignored);
  if (lines.size() != 4) return std::nullopt;
  return FoundByTarget{lines[0], lines[1], lines[2], lines[3]};
}

}  // namespace aesgate
