#include "kat/acvp_response.h"

#include <nlohmann/json.hpp>

namespace aesgate::acvp {
namespace {

std::string to_json(const ResultValues& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i])
      text += fmt::format("{}\"{}\":\"{}\"", text.empty() ? "" : ",", result_members[i], to_upper_hex(*values[i]));
  return text;
}

}  // namespace

void Response::begin_set(const SetHead& set) {
  in_array_ = set.in_array;
  std::string text;
  if (set.acv_version) {
    text = fmt::format("\"acvVersion\":{}", nlohmann::json(*set.acv_version).dump());
    text = in_array_ ? fmt::format("[{{{}}},\n{{", text) : fmt::format("{{{},", text);
  } else {
    text = "{";
  }
  text += fmt::format(R"("vsId":{},"algorithm":"{}","revision":"1.0",)", set.vs_id, algorithm_name(set.mode));
  if (set.is_sample) text += fmt::format(R"("isSample":{},)", *set.is_sample);
  file_.write(text + "\"testGroups\":[");
}

void Response::begin_group(const GroupHead& group) {
  file_.write(fmt::format("{}\n{{\"tgId\":{},\"tests\":[", first_group_ ? "" : ",", group.tg_id));
  first_group_ = false;
  first_test_ = true;
}

void Response::test(const TestAnswer& answer) {
  file_.write(fmt::format("{}\n{{\"tcId\":{},", first_test_ ? "" : ",", answer.tc_id));
  first_test_ = false;
  if (!answer.is_array) {
    file_.write(to_json(answer.results.front()) + '}');
    return;
  }
  file_.write("\"resultsArray\":[");
  for (std::size_t i = 0; i < answer.results.size(); ++i)
    file_.write(fmt::format("{}\n{{{}}}", i == 0 ? "" : ",", to_json(answer.results[i])));
  file_.write("]}");
}

void Response::end_group() { file_.write("]}"); }

void Response::end_set() { file_.write(in_array_ ? "]}]\n" : "]}\n"); }

}  // namespace aesgate::acvp
