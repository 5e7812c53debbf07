// `botan speed --format=json`: an array of {"algo", "op", "events" (bytes), "cycles", "bps", "buf_size", "nanos"}.

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/text_file.h"
#include "explain/line_reader.h"
#include "explain/read_json.h"

namespace aesgate::explain {
namespace {

using Json = nlohmann::json;

double number(const Json& entry, const char* key) {
  const auto at = entry.find(key);
  return at != entry.end() && at->is_number() ? at->get<double>() : 0;
}

std::string string(const Json& entry, const char* key) {
  const auto at = entry.find(key);
  return at != entry.end() && at->is_string() ? at->get<std::string>() : std::string();
}

/// "AES-128 [vperm]" is the block cipher, many blocks at once, by a provider.
Algorithm algorithm_of(const std::string& algo, const std::string& op) {
  Algorithm algorithm = parse_algorithm(algo.substr(0, algo.find(" [")));
  if (algorithm.aes && algorithm.mode.empty()) {
    algorithm.mode = "ECB";
    algorithm.name += "-ECB";
  }
  if (op == "encrypt") algorithm.direction = Direction::encrypt;
  if (op == "decrypt") algorithm.direction = Direction::decrypt;
  return algorithm;
}

std::string provider_of(const std::string& algo) {
  const std::size_t begin = algo.find(" [");
  return begin == std::string::npos ? std::string() : algo.substr(begin + 2, algo.find(']', begin) - begin - 2);
}

}  // namespace

Result<void> read_botan(const Json& document, const Place& place, Reading& reading) {
  std::vector<SpeedRun> runs;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const Json& entry = document[i];
    const std::string algo = entry.is_object() ? string(entry, "algo") : std::string();
    if (algo.empty()) return error("{}: /{}/algo: botan speed names an algorithm here", place.text(), i);
    const double bytes = number(entry, "buf_size"), events = number(entry, "events"), nanos = number(entry, "nanos");
    if (bytes < 1) continue;  // a key schedule, or a public-key algorithm
    if (!(bytes < 0x1p40) || !(events > 0) || !(nanos > 0))
      return error("{}: /{}: events, nanos or buf_size is no figure", place.text(), i);
    const Algorithm algorithm = algorithm_of(algo, string(entry, "op"));
    const std::string variant = provider_of(algo);
    const auto same = [&](const SpeedRun& run) { return run.algorithm == algorithm && run.variant == variant; };
    auto run = std::ranges::find_if(runs, same);
    if (run == runs.end()) {
      runs.emplace_back();
      run = runs.end() - 1;
      run->algorithm = algorithm;
      run->variant = variant;
      run->place = place;
      run->invocation.tool = Tool::botan;
      run->invocation.place = place;
      run->invocation.clock = Clock::elapsed;
      run->invocation_number = reading.invocations;
    }
    Sample sample;
    sample.bytes = static_cast<std::size_t>(bytes);
    sample.bytes_per_second = events / nanos * 1e9;
    sample.line = place.line;
    insert(*run, sample);
    if (number(entry, "cycles") > 0 && largest(*run)->bytes == sample.bytes) {
      run->cycles_per_byte = number(entry, "cycles") / events;
      run->cycles_are_ticks = true;
    }
  }
  if (runs.empty()) return error("{}: no entry has a size (buf_size): nothing that this explains", place.text());
  ++reading.invocations;
  std::ranges::move(runs, std::back_inserter(reading.runs));
  return {};
}

}  // namespace aesgate::explain
