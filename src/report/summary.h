#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/host.h"
#include "core/plan.h"
#include "report/record.h"
#include "witness/proof.h"

namespace aesgate {

/// The version of this program: "0.1.0".
[[nodiscard]] std::string_view version();

/// Summary: what a run was, beside the Record of what it found. Every report (console, JSON, JUnit) is made
/// from these two and shows the same.
struct Summary {
  struct Backend {
    const aesgate_backend* backend;
    std::string why_unavailable;                         // empty: it ran
    bool emulated = false;                               // what it executes on is (emulator/emulator.h)
    std::optional<witness::BackendProof> evidence = {};  // of what it claims to run on, where a witness was asked

    /// What a person sees: "padlock (emulated)".
    [[nodiscard]] std::string label() const;
  };
  struct Stage {
    std::string name;  // "kat"
    std::vector<Suite> suites;
  };

  std::string command;  // "verify"
  Host host;
  Plan plan;
  std::vector<Stage> stages;
  std::vector<Backend> backends;
  std::vector<std::string> required;                                        // names of --require
  bool requires_proof = false;                                              // --require-proof
  double seconds = 0;                                                       // from start to end
  std::map<std::tuple<std::string, std::string, Mode>, double> seconds_of;  // stage, backend, mode

  [[nodiscard]] std::vector<Suite> suites() const;
};

/// Conclusion: the verdict on a whole run.
struct Conclusion {
  int exit_status;           // 0, 1 or 3
  std::string_view verdict;  // "pass", "fail", "oracles disagree", "vector suspect", "required missing", "nothing
                             // checked", "too few cases", "claim refuted", "unproven"
  std::string sentence;      // for a person, without seed and time
};

/// "PROVEN aes.xmm", "REFUTED": evidence as it fits into a column.
[[nodiscard]] std::string short_text(const witness::BackendProof& evidence);

/// "pass" only if at least one Case was judged, every one agreed, each required backend ran, and no backend ran fewer
/// boundary Cases than coverage_minimum.h states.
[[nodiscard]] Conclusion conclude(const Summary& summary, const Record& record);

/// Why a required backend does not count as checked; empty if it does, or is not required.
[[nodiscard]] std::string why_missing(const Summary& summary, const Summary::Backend& backend, const Record& record);

/// The findings by backend in the summary's order (an oracle's first), then mode and suite: several
/// threads record them, in an order that says nothing.
[[nodiscard]] std::vector<const Finding*> sorted_findings(const Summary& summary, const Record& record);

/// The command that runs the Case of a finding again; it must have a file.
[[nodiscard]] std::string replay_command(const Plan& plan, const Finding& finding);

/// One letter group a verdict that is neither agreement nor failure: "unavailable: CPUID…", in the order of Verdict.
[[nodiscard]] std::vector<std::string> reasons_not_run(const Tally& tally);

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace aesgate
