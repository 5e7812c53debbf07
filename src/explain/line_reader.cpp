#include "explain/line_reader.h"

#include <algorithm>

namespace aesgate::explain {

const std::string& Text::line(std::size_t at) const {
  static const std::string none;
  return at < lines.size() ? lines[at].text : none;
}

Place Text::place(std::size_t at) const { return {name, at < lines.size() ? lines[at].number : lines.size()}; }

Sample& sample_of(SpeedRun& run, std::size_t bytes, std::size_t line) {
  const auto at = std::ranges::lower_bound(run.samples, bytes, {}, &Sample::bytes);
  if (at != run.samples.end() && at->bytes == bytes) return *at;
  Sample sample;
  sample.bytes = bytes;
  sample.line = line;
  return *run.samples.insert(at, sample);
}

bool insert(SpeedRun& run, const Sample& sample) {
  const std::size_t before = run.samples.size();
  Sample& place = sample_of(run, sample.bytes, sample.line);
  if (run.samples.size() == before) return false;
  place = sample;
  return true;
}

}  // namespace aesgate::explain
