#include "report/json_head.h"

#include <nlohmann/json.hpp>

#include "core/text_file.h"
#include "report/summary.h"

namespace aesgate {

nlohmann::ordered_json json_head(std::string_view command, const Host& host) {
  nlohmann::ordered_json features = nlohmann::ordered_json::array();
  for (const std::string_view feature : split(host.features, ' '))
    if (!feature.empty()) features.push_back(feature);
  return {{"schema", 1},
          {"aesgate", version()},
          {"command", command},
          {"host",
           {{"cpu", host.cpu},
            {"architecture", host.architecture},
            {"system", host.system},
            {"compiler", host.compiler},
            {"cpus", host.cpus},
            {"features", std::move(features)},
            {"cpu_mask", host.cpu_mask}}}};
}

}  // namespace aesgate
