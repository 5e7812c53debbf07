#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "props/constant_time/job.h"

namespace aesgate::constant_time {

/// MemcheckReport: what valgrind's XML (its protocol 4, docs/internals/xml-output-protocol4.txt) says, one entry a
/// place.
struct MemcheckReport {
  std::vector<Leak> secret;   // what depends on memory that a client request marked: a jump, an address
  std::vector<Leak> unclear;  // the same of something undefined of which valgrind lost track where it came from
  std::vector<Leak> other;    // anything else: values that nothing set, memory out of bounds
};

/// Places that the reader knows of, by address: valgrind names none where it read no debug information.
using KnownPlaces = std::map<std::uint64_t, witness::CodePlace>;

/// An Error if it is no such report, or not all of one.
[[nodiscard]] Result<MemcheckReport> parse_memcheck_xml(std::string_view xml, const KnownPlaces& known = {});

/// The addresses of all frames of a report that have no line; none if it is no such report.
[[nodiscard]] std::set<std::uint64_t> addresses_without_line(std::string_view xml);

}  // namespace aesgate::constant_time
