// aesgate's own reports: the cells of `perf --json`, and the findings of the others.

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/text_file.h"
#include "explain/line_reader.h"
#include "explain/read_json.h"
#include "explain/words.h"

namespace aesgate::explain {
namespace {

using Json = nlohmann::json;

template <typename T>
T value(const Json& json, const char* key, T otherwise) {
  const auto at = json.find(key);
  if (at == json.end()) return otherwise;
  if constexpr (std::is_same_v<T, bool>)
    return at->is_boolean() ? at->template get<bool>() : otherwise;
  else if constexpr (std::is_same_v<T, double>)
    return at->is_number() ? at->template get<double>() : otherwise;
  else
    return at->is_string() ? at->template get<std::string>() : otherwise;
}

Algorithm algorithm_of(const Json& shape) {
  Algorithm algorithm =
      parse_algorithm(fmt::format("AES-{:.0f}-{}", value(shape, "key_bits", 0.0), value(shape, "mode", std::string())));
  if (const auto direction = parse_direction(value(shape, "direction", std::string())))
    algorithm.direction = *direction;
  return algorithm;
}

class PerfReport {
 public:
  PerfReport(const Place& place, std::size_t invocation) : place_(place), invocation_(invocation) {}

  Result<void> take(const Json& cell, std::size_t index) {
    const std::string backend = cell.is_object() ? value(cell, "backend", std::string()) : std::string();
    const double bytes = cell.is_object() ? value(cell, "bytes_per_call", 0.0) : 0;
    if (backend.empty() || !(bytes >= 1 && bytes < 0x1p40))
      return error("{}: /results/{}: no backend, or no bytes_per_call", place_.text(), index);
    const bool in_place = value(cell, "in_place", false);
    const double offset = value(cell, "offset", 0.0);
    SpeedRun& run = run_of(algorithm_of(cell), backend + (in_place ? ", in place" : "") +
                                                   (offset > 0 ? fmt::format(", buffers at {:.0f}", offset) : ""));
    const double nanoseconds = value(cell, "nanoseconds_per_byte", 0.0);
    const std::string reason = value(cell, "reason", std::string());
    run.below_floor = run.below_floor || value(cell, "below_floor", false);
    if (!reason.empty() || !(nanoseconds > 0)) {
      run.not_timed = reason.empty() ? "no time a byte" : reason;
      if (value(cell, "verdict", std::string()) == "mismatch") add_trouble(backend, reason, in_place);
      return {};
    }
    Sample sample;
    sample.bytes = static_cast<std::size_t>(bytes);
    sample.bytes_per_second = 1e9 / nanoseconds;
    sample.line = place_.line;
    insert(run, sample);
    const auto cycles = cell.find("core_cycles_per_byte");
    if (cycles != cell.end() && cycles->is_object() && largest(run)->bytes == sample.bytes) {
      if (const double median = value(*cycles, "median", 0.0); median > 0) run.cycles_per_byte = median;
      if (const double least = value(cell, "floor_core_cycles_per_byte", 0.0); least > 0)
        run.floor_cycles_per_byte = least;
    }
    return {};
  }

  /// Right out of place and wrong in place, in the same shape: the overlap is what is wrong.
  void finish(Reading& reading) {
    for (Trouble& trouble : troubles_) {
      const bool right_elsewhere = std::ranges::any_of(
          runs_, [&](const SpeedRun& run) { return run.variant == trouble.who && run.not_timed.empty(); });
      if (trouble.what == Trouble::What::in_place && !right_elsewhere) trouble.what = Trouble::What::mismatch;
      reading.troubles.push_back(trouble);
    }
    std::ranges::move(runs_, std::back_inserter(reading.runs));
  }

 private:
  SpeedRun& run_of(const Algorithm& algorithm, const std::string& variant) {
    const auto same = [&](const SpeedRun& run) { return run.algorithm == algorithm && run.variant == variant; };
    if (const auto run = std::ranges::find_if(runs_, same); run != runs_.end()) return *run;
    SpeedRun& run = runs_.emplace_back();
    run.algorithm = algorithm;
    run.variant = variant;
    run.place = run.invocation.place = place_;
    run.invocation.tool = Tool::aesgate;
    run.invocation.clock = Clock::elapsed;
    run.invocation_number = invocation_;
    return run;
  }

  void add_trouble(const std::string& backend, const std::string& reason, bool in_place) {
    Trouble& trouble = troubles_.emplace_back();
    trouble.what = mentions(reason, "chaining value") ? Trouble::What::wrong_chaining_value
                   : in_place                         ? Trouble::What::in_place
                                                      : Trouble::What::mismatch;
    trouble.place = place_;
    trouble.who = backend;
    trouble.line = reason;
  }

  Place place_;
  std::size_t invocation_;
  std::vector<SpeedRun> runs_;
  std::vector<Trouble> troubles_;
};

void read_findings(const Json& findings, const Place& place, Reading& reading) {
  for (const Json& finding : findings) {
    if (!finding.is_object() || value(finding, "verdict", std::string()) != "mismatch") continue;
    Trouble& trouble = reading.troubles.emplace_back();
    const auto difference = finding.find("difference");
    const std::string field =
        difference != finding.end() && difference->is_object() ? value(*difference, "field", std::string()) : "";
    trouble.what = field.starts_with("chaining value") ? Trouble::What::wrong_chaining_value : Trouble::What::mismatch;
    trouble.place = place;
    trouble.who = value(finding, "backend", std::string());
    trouble.line = value(finding, "reason", std::string());
  }
}

}  // namespace

Result<void> read_aesgate(const Json& document, const Place& place, Reading& reading) {
  const std::size_t before = reading.runs.size() + reading.troubles.size();
  if (const auto results = document.find("results"); results != document.end() && results->is_array()) {
    PerfReport report(place, reading.invocations++);
    for (std::size_t i = 0; i < results->size(); ++i)
      if (const auto taken = report.take((*results)[i], i); !taken) return taken;
    report.finish(reading);
  }
  if (const auto findings = document.find("findings"); findings != document.end() && findings->is_array())
    read_findings(*findings, place, reading);
  if (reading.runs.size() + reading.troubles.size() == before)
    return error("{}: this report of aesgate has neither times nor mismatches; name one of 'aesgate perf --json'",
                 place.text());
  return {};
}

}  // namespace aesgate::explain
