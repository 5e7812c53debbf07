#include "props/constant_time/job.h"

#include <exception>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/json_complaint.h"
#include "core/text_file.h"

namespace aesgate::constant_time {
namespace {

using Json = nlohmann::json;

constexpr std::string_view line_head = "aesgate-constant-time ";

std::string line(const Json& json) {
  return fmt::format("\n{}{}\n", line_head, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json to_json(const Leak& leak) {
  return {{"function", leak.place.function},
          {"file", leak.place.file},
          {"line", leak.place.line},
          {"object", leak.place.object},
          {"what", leak.what}};
}

Leak leak_from(const Json& json) {
  return {{json.at("function"), json.at("file"), json.at("line"), json.at("object")}, json.at("what"), 1};
}

ShapeAnswer shape_from(const Json& json) {
  ShapeAnswer answer;
  answer.shape = json.at("shape");
  if (answer.shape >= shape_count) answer.shape = 0;
  answer.state = json.at("state").get<ShapeAnswer::State>();
  answer.reason = json.at("reason");
  for (const Json& leak : json.at("leaks")) answer.leaks.push_back(leak_from(leak));
  answer.steps = json.at("steps");
  answer.long_calls = json.at("long_calls");
  return answer;
}

void read_line(const Json& json, Answer& answer) {
  if (json.contains("program")) {
    const auto& program = json["program"];
    answer.program = {program.at("base"), program.at("begin"), program.at("end")};
  }
  if (json.contains("unavailable")) answer.unavailable = json["unavailable"];
  if (json.contains("failed")) answer.failed = json["failed"];
  if (json.contains("shape")) answer.shapes.push_back(shape_from(json));
  if (json.contains("end")) answer.complete = true;
}

}  // namespace

std::string_view name(Method method) { return method == Method::memcheck ? "valgrind" : "trace"; }

std::string to_text(const Job& job) {
  return Json{{"parent", job.parent},
              {"method", job.method},
              {"plugin", job.plugin},
              {"backend", job.backend},
              {"shapes", job.shapes},
              {"secret_text", job.secret_text},
              {"short_calls_only", job.short_calls_only},
              {"all_long_traces", job.all_long_traces},
              {"keys", job.keys},
              {"seed", job.seed}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Job> parse_job(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    Job job;
    job.parent = json.at("parent");
    job.method = json.at("method").get<Method>();
    job.plugin = json.at("plugin");
    job.backend = json.at("backend");
    job.shapes = json.at("shapes").get<std::vector<std::size_t>>();
    job.secret_text = json.at("secret_text");
    job.short_calls_only = json.at("short_calls_only");
    job.all_long_traces = json.at("all_long_traces");
    job.keys = json.at("keys");
    job.seed = json.at("seed");
    for (const std::size_t shape : job.shapes)
      if (shape >= shape_count) return error("there is no shape {}", shape);
    return job;
  } catch (const Json::exception& wrong) {
    return error("{}", json_complaint(wrong.what()));
  }
}

std::string program_line(const witness::LoadedProgram& program) {
  return line({{"program", {{"base", program.base}, {"begin", program.begin}, {"end", program.end}}}});
}

std::string unavailable_line(std::string_view why) { return line({{"unavailable", why}}); }

std::string failed_line(std::string_view why) { return line({{"failed", why}}); }

std::string shape_line(const ShapeAnswer& answer) {
  Json leaks = Json::array();
  for (const Leak& leak : answer.leaks) leaks.push_back(to_json(leak));
  return line({{"shape", answer.shape},
               {"state", answer.state},
               {"reason", answer.reason},
               {"leaks", std::move(leaks)},
               {"steps", answer.steps},
               {"long_calls", answer.long_calls}});
}

std::string end_line() { return line({{"end", true}}); }

Answer parse_answer(std::string_view text) {
  Answer answer;
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

}  // namespace aesgate::constant_time
