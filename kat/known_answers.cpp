#include "kat/known_answers.h"

#include <map>
#include <mutex>
#include <utility>

#include "kat/cavp_folder.h"
#include "kat/fips197.h"
#include "kat/sp800_38a.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

void add(std::vector<KnownAnswer>& all, Suite suite, std::vector<Case> cases) {
  for (Case& c : cases) {
    Result<Answer> answer = ask(c);
    all.push_back({suite, std::move(c), std::move(answer)});
  }
}

Result<std::vector<KnownAnswer>> collect(const std::filesystem::path& folder, Mode mode) {
  auto vectors = read_vectors(folder, mode);
  if (!vectors) return tl::unexpected(vectors.error());
  std::vector<KnownAnswer> all;
  add(all, Suite::cavp, std::move(*vectors));
  if (mode == Mode::ecb) add(all, Suite::fips197, fips197_cases());
  add(all, Suite::sp800_38a, sp800_38a_cases(mode));
  return all;
}

/// One entry, filled by the first who needs it, while others may fill other entries.
struct Entry {
  std::once_flag once;
  Result<std::vector<KnownAnswer>> answers;
};

Entry& entry_of(const std::filesystem::path& folder, Mode mode) {
  static std::mutex mutex;
  static std::map<std::pair<std::filesystem::path, Mode>, Entry> entries;
  const std::lock_guard lock(mutex);
  return entries[{folder, mode}];
}

}  // namespace

Result<const std::vector<KnownAnswer>*> known_answers(const std::filesystem::path& folder, Mode mode) {
  Entry& entry = entry_of(folder, mode);
  std::call_once(entry.once, [&] { entry.answers = collect(folder, mode); });
  if (!entry.answers) return tl::unexpected(entry.answers.error());
  return &*entry.answers;
}

}  // namespace aesgate
