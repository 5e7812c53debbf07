#include "perf/gate_check.h"

#include <map>
#include <utility>

#include "core/execute.h"
#include "core/judge.h"
#include "core/session.h"
#include "oracle/oracle.h"
#include "perf/judged_case.h"

namespace aesgate {
namespace {

/// What the oracles say, who take longer than all backends and do not care for placement.
Result<const Answer*> answer_for(const Workload& workload, const Case& c, std::uint64_t seed) {
  static std::map<std::pair<std::string, std::uint64_t>, Answer> answers;
  const std::pair key(fmt::format("{} {}", name(workload.shape), workload.bytes), seed);
  if (const auto known = answers.find(key); known != answers.end()) return &known->second;
  auto answer = ask(c);
  if (!answer) return tl::unexpected(answer.error());
  return &answers.emplace(key, std::move(*answer)).first->second;
}

}  // namespace

Result<void> check_workloads(const aesgate_backend& backend, const std::vector<Workload>& workloads, std::uint64_t seed,
                             Record& record, const std::function<void()>& progress) {
  for (const Workload& workload : workloads) {
    if (progress) progress();
    const Case c = make_judged_case(workload, seed);
    const auto answer = answer_for(workload, c, seed);
    if (!answer) return tl::unexpected(answer.error());
    record.judged(Suite::perf, backend, c, judge(c, execute(backend, c), **answer));
  }
  return {};
}

std::vector<Workload> supported_workloads(const aesgate_backend& backend, const std::vector<Workload>& workloads) {
  std::vector<Workload> supported;
  for (const Workload& workload : workloads)
    if (Session::supports(backend, workload.shape)) supported.push_back(workload);
  return supported;
}

}  // namespace aesgate
