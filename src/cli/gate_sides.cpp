#include "cli/gate_sides.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/backends.h"
#include "core/registry.h"
#include "isolation/isolated.h"

namespace aesgate {
namespace {

std::vector<std::string> missing_in(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  std::vector<std::string> missing;
  for (const std::string& name : names)
    if (std::ranges::find(others, name) == others.end()) missing.push_back(name);
  return missing;
}

Result<std::vector<std::string>> same_names(const GateSide& baseline, const GateSide& candidate) {
  const std::vector<std::string> before = baseline.names();
  const std::vector<std::string> after = candidate.names();
  const std::vector<std::string> lost = missing_in(before, after);
  const std::vector<std::string> added = missing_in(after, before);
  if (lost.size() == before.size())
    return error(
        "--candidate: {} has no backend of {}: {} against {}; --backend and --candidate-backend compare two "
        "of different names",
        candidate.file(), baseline.file(), fmt::join(after, ", "), fmt::join(before, ", "));
  if (lost.empty() && added.empty()) return before;
  const auto only = [](const GateSide& side, const std::vector<std::string>& names) {
    return names.empty() ? std::string() : fmt::format("; only {} has {}", side.file(), fmt::join(names, ", "));
  };
  return error("--candidate: other backends than the baseline's{}{}; name those to compare with --backend",
               only(baseline, lost), only(candidate, added));
}

}  // namespace

Result<GateSide> GateSide::load(const char* option, const std::string& file) {
  GateSide side;
  side.option_ = option;
  side.file_ = file;
  auto backends = isolate_plugin(file, {});
  if (!backends) return error("{}: {}", option, backends.error().message);
  side.backends_ = std::move(*backends);
  std::error_code wrong;
  side.written_ = std::filesystem::last_write_time(file, wrong);
  side.size_ = std::filesystem::file_size(file, wrong);
  return side;
}

Result<const aesgate_backend*> GateSide::find(const std::string& spec) const {
  const std::string name = spec.substr(0, spec.find(':'));
  const std::vector<std::string> known = names();
  if (std::ranges::find(known, name) == known.end())
    return error("{}: {} has no backend \"{}\"; it has {}", option_, file_, name, fmt::join(known, ", "));
  const auto found = find_backend(spec, backends_);
  if (!found) return error("{}: {}: {}", option_, file_, found.error().message);
  return found;
}

std::vector<std::string> GateSide::names() const {
  std::vector<std::string> names;
  for (const aesgate_backend* backend : backends_) names.emplace_back(backend->name);
  return names;
}

Plan GateSide::plan_of(const aesgate_backend& backend, const std::string& spec, std::uint64_t seed) const {
  Plan plan;
  plan.backends = {&backend};
  plan.seed = seed;
  std::string& arguments = plan.replay_arguments[backend.name];
  arguments = " --plugin " + shell_word(file_);
  if (spec != backend.name) arguments += " --backend " + shell_word(spec);
  return plan;
}

Result<void> GateSide::check_same_file() const {
  std::error_code wrong;
  if (std::filesystem::last_write_time(file_, wrong) == written_ && !wrong &&
      std::filesystem::file_size(file_, wrong) == size_ && !wrong)
    return {};
  return error("{}: {} was written to or replaced during the run; run it again", option_, file_);
}

Result<std::vector<GatePair>> gate_pairs(const GateSide& baseline, const GateSide& candidate,
                                         const std::vector<std::string>& specs, const std::string& candidate_spec) {
  std::vector<std::string> wanted = specs;
  if (!candidate_spec.empty() && specs.size() != 1)
    return error("--candidate-backend: it is what the candidate calls the one backend that --backend names; name it");
  if (wanted.empty()) {
    auto names = same_names(baseline, candidate);
    if (!names) return tl::unexpected(names.error());
    wanted = std::move(*names);
  }
  std::vector<GatePair> pairs;
  for (const std::string& spec : wanted) {
    GatePair pair{spec, candidate_spec.empty() ? spec : candidate_spec};
    const auto before = baseline.find(pair.baseline_spec);
    if (!before) return tl::unexpected(before.error());
    const auto after = candidate.find(pair.candidate_spec);
    if (!after) return tl::unexpected(after.error());
    pair.baseline = *before;
    pair.candidate = *after;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace aesgate
