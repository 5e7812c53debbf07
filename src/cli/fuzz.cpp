#include <memory>

#include "cli/fuzz_campaign.h"
#include "cli/run.h"

namespace aesgate {

void add_fuzz(CLI::App& app, Action& action) {
  const RunCommand bounded =
      add_run_command(app, action, "fuzz", "Random cases, against two independent oracles: a bounded number, or for days",
                      "  aesgate fuzz --backend sbox --seed 7\n"
                      "  aesgate fuzz --seed random --effort deep --cases found    failures go to the folder found\n"
                      "  aesgate fuzz --backend aesni --time 1h --corpus corpus    libFuzzer's programs, for an hour\n",
                      {&fuzz_stage()});
  const auto request = std::make_shared<CampaignRequest>();
  add_campaign_options(*bounded.command, *request);
  bounded.command->callback([&action, bounded, request] {
    action = [bounded, request]() -> Result<int> {
      return request->is_made() ? run_fuzz_campaign(*bounded.command, *bounded.options, *request) : bounded.run();
    };
  });
}

}  // namespace aesgate
