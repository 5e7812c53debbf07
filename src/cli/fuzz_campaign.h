#pragma once

#include <chrono>
#include <string>

#include <CLI/App.hpp>

#include "cli/options.h"

namespace aesgate {

/// What makes `aesgate fuzz` run on and on: either of the two.
struct CampaignRequest {
  std::string time, corpus;
  [[nodiscard]] bool is_made() const { return !time.empty() || !corpus.empty(); }
};
void add_campaign_options(CLI::App& command, CampaignRequest& request);

/// "90s", "10m", "1h", "2d", or plain seconds; above 0.
[[nodiscard]] Result<std::chrono::seconds> parse_duration(const std::string& text);

/// Fuzzes with libFuzzer's programs, as long as was asked for, and prints what was found: the exit status. `command` is
/// looked at for options that do nothing here, which are an Error.
[[nodiscard]] Result<int> run_fuzz_campaign(const CLI::App& command, const RunOptions& options,
                                            const CampaignRequest& request);

}  // namespace aesgate
