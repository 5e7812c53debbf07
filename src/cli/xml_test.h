#pragma once

#include <string>
#include <string_view>

namespace aesgate {

/// Empty if `xml` is well-formed XML of the kind that reports are: a declaration, one root, elements and
/// attributes that nest and are quoted, the five entities, no control characters. Else what is wrong.
[[nodiscard]] std::string why_not_well_formed(std::string_view xml);

}  // namespace aesgate
