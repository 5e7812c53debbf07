#include "oracle/kept_answers.h"

#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "oracle/oracle.h"

namespace aesgate {
namespace {

constexpr std::size_t longest_kept = 64 * 1024;  // bytes

/// All that the answer follows from.
std::string question(const Case& c) {
  std::string text;
  const auto put = [&](const void* bytes, std::size_t count) { text.append(static_cast<const char*>(bytes), count); };
  for (const std::size_t number : {index(c.shape), c.length, c.monte_carlo_steps}) put(&number, sizeof number);
  put(c.key.bytes().data(), c.key.bytes().size());
  if (has_iv(c.shape.mode)) put(c.iv.data(), c.iv.size());
  put(c.input.data(), c.input.size());
  return text;
}

class Kept {
 public:
  [[nodiscard]] std::optional<Answer> find(const std::string& asked) {
    const std::lock_guard lock(mutex_);
    const auto found = answers_.find(asked);
    return found == answers_.end() ? std::nullopt : std::optional(found->second);
  }

  void keep(std::string asked, const Answer& answer) {
    const std::size_t size = asked.size() + answer.output.size() + sizeof(std::pair<std::string, Answer>);
    const std::lock_guard lock(mutex_);
    // The backends of a run go through the modes one after the other: what is old is done with.
    if (size_ + size > most_kept) {
      answers_.clear();
      size_ = 0;
    }
    if (answers_.emplace(std::move(asked), answer).second) size_ += size;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Answer> answers_;
  std::size_t size_ = 0;
};

}  // namespace

Result<Answer> ask_once(const Case& c) {
  static Kept kept;
  if (c.repeated_to > 0 || c.input.size() > longest_kept) return ask(c);
  std::string asked = question(c);
  if (auto answer = kept.find(asked)) return *std::move(answer);
  auto answer = ask(c);
  if (answer && answer->output.size() <= longest_kept) kept.keep(std::move(asked), *answer);
  return answer;
}

}  // namespace aesgate
