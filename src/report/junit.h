#pragma once

#include <string>
#include <string_view>

#include "report/summary.h"

namespace aesgate {

/// A run as JUnit XML, which CI services show: a testsuite a backend, a testcase "STAGE.MODE" each. A
/// testcase with a mismatch has one <failure> with all findings; one in which no Case ran is <skipped> with the
/// reason, or a <failure> where the backend is required. In either, <system-out> has the number of Cases and the counts
/// by evidence, and a testsuite's <properties> what the run was: so the elements and their order are those of the
/// schema that Jenkins publishes (junit-10.xsd), which other services read too. Oracles that disagree are a testsuite
/// of their own.
[[nodiscard]] std::string to_junit(const Summary& summary, const Record& record);

/// `text` as it may stand in XML 1.0, in an attribute too: & < > " as entities, and "?" for a control
/// character, which XML cannot hold, or a byte that is not of valid UTF-8.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace aesgate
