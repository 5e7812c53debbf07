#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/result.h"

namespace aesgate {

/// Every backend built in, in the order of software, instruction, coprocessor, kernel, library, and
/// by name within each.
[[nodiscard]] const std::vector<const aesgate_backend*>& built_in_backends();

/// An Error if a built-in backend breaks a rule that aesgate_backend.h has for the struct itself (admit() in plugin.h),
/// or has the name of another: a copied file whose name was forgotten would otherwise be checked instead of the one
/// that was meant.
[[nodiscard]] Result<void> check_backends(const std::vector<const aesgate_backend*>& backends);

/// The forms of those that have several, by name: "bitslice-avx2" is what "bitslice:form=avx2" means. The backend
/// "bitslice" is the best of them that this CPU can run, so they are not backends of their own.
[[nodiscard]] const std::vector<const aesgate_backend*>& built_in_forms();

/// Both, for tests that run each.
[[nodiscard]] std::vector<const aesgate_backend*> built_in_backends_and_forms();

/// The backend for "NAME" or "NAME:OPTIONS", the options through its configure(): built in, where NAME may be a form's,
/// or among `backends`. An Error lists the known names or passes on the backend's reason.
[[nodiscard]] Result<const aesgate_backend*> find_backend(std::string_view spec);
[[nodiscard]] Result<const aesgate_backend*> find_backend(std::string_view spec,
                                                          const std::vector<const aesgate_backend*>& backends);

/// probe()'s answer: empty if the backend can run here, else why not. A crash in probe() is no
/// such reason: whoever runs a Case finds it, and it is a failure.
[[nodiscard]] std::string why_unavailable(const aesgate_backend& backend);

/// What probe() says of a backend that can run here: what serves it, what it lacks. Mostly empty.
[[nodiscard]] std::string remark_on(const aesgate_backend& backend);

}  // namespace aesgate
