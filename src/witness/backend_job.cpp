#include "witness/backend_job.h"

#include <exception>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/json_complaint.h"
#include "core/text_file.h"

namespace aesgate::witness {

// Before the namespace without a name: nlohmann-json finds them by their argument.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CallCounts, steps, aes_instructions, first_aes_address, round_lanes, last_lanes,
                                   key_locker_lanes, xcrypt_instructions, xcrypt_blocks, galois_instructions,
                                   galois_inverse_lanes, system_calls, device_requests, thread_calls, undecoded_address)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CallEvidence, end, reason, blocks, least_blocks, rounds, right, counts, matched,
                                   steps_since_match, first_aes_place)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CallKind, is_long, is_second, in_place, misaligned)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FurtherCall, kind, call)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepBudget, left, most, least, beginning, further)

namespace {

using Json = nlohmann::json;

constexpr std::string_view line_head = "aesgate-witness ";

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string line(const Json& json) { return fmt::format("\n{}{}\n", line_head, dump(json)); }

std::size_t shape_from(const Json& json) {
  const std::size_t shape = json;
  return shape < shape_count ? shape : 0;
}

ShapeEvidence evidence_from(const Json& json) {
  ShapeEvidence evidence;
  evidence.shape = shape_from(json.at("shape"));
  evidence.call = json.at("call");
  if (json.contains("long_call")) evidence.long_call = json.at("long_call").get<CallEvidence>();
  evidence.further_calls = json.at("further_calls").get<std::vector<FurtherCall>>();
  return evidence;
}

void read_line(const Json& json, BackendAnswer& answer) {
  if (json.contains("unavailable")) answer.unavailable = json["unavailable"];
  if (json.contains("failed")) answer.failed = json["failed"];
  if (json.contains("remark")) answer.remark = json["remark"];
  if (json.contains("interrupt")) answer.interrupts.push_back(json["interrupt"]);
  if (json.contains("unsupported")) answer.unsupported.push_back(shape_from(json["unsupported"]));
  if (json.contains("shape")) answer.shapes.push_back(evidence_from(json));
  if (json.contains("end")) answer.complete = true;
}

}  // namespace

std::string to_text(const BackendJob& job) {
  return dump({{"parent", job.parent},
               {"plugin", job.plugin},
               {"backend", job.backend},
               {"shapes", job.shapes},
               {"budget", job.budget},
               {"limit", job.limit.count()}});
}

Result<BackendJob> parse_backend_job(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    BackendJob job;
    job.parent = json.at("parent");
    job.plugin = json.at("plugin");
    job.backend = json.at("backend");
    job.shapes = json.at("shapes").get<std::vector<std::size_t>>();
    job.budget = json.at("budget");
    job.limit = std::chrono::seconds(json.at("limit").get<std::int64_t>());
    for (const std::size_t shape : job.shapes)
      if (shape >= shape_count) return error("there is no shape {}", shape);
    return job;
  } catch (const Json::exception& wrong) {
    return error("{}", json_complaint(wrong.what()));
  }
}

std::string backend_line(std::string_view key, std::string_view text) { return line({{std::string(key), text}}); }

std::string unsupported_line(std::size_t shape) { return line({{"unsupported", shape}}); }

std::string evidence_line(const ShapeEvidence& evidence) {
  Json json{{"shape", evidence.shape}, {"call", evidence.call}, {"further_calls", evidence.further_calls}};
  if (evidence.long_call) json["long_call"] = *evidence.long_call;
  return line(json);
}

std::string end_line() { return line({{"end", true}}); }

BackendAnswer parse_backend_answer(std::string_view text) {
  BackendAnswer answer;
  for (std::string_view part : split(text, '\n')) {
    if (!part.starts_with(line_head)) continue;
    part.remove_prefix(line_head.size());
    try {
      read_line(Json::parse(part), answer);
    } catch (const Json::exception& wrong) {
      answer.failed = fmt::format("the worker's answer cannot be read: {}", json_complaint(wrong.what()));
    }
  }
  return answer;
}

}  // namespace aesgate::witness
