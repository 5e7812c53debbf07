#pragma once

#include <array>

#include "abi/aesgate_backend.h"
#include "core/case.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/result.h"

namespace aesgate {

/// The two oracles, as backends: "oracle-cryptopp" (Crypto++ on its portable path, CFB1 built on its
/// block cipher) and "oracle-fips197" (FIPS-197 and SP 800-38A spelled out from the text). They are not
/// among built_in_backends(): nothing judges a backend by itself.
[[nodiscard]] const aesgate_backend& cryptopp_oracle();
[[nodiscard]] const aesgate_backend& fips197_oracle();
[[nodiscard]] std::array<const aesgate_backend*, 2> oracles();

/// What both oracles say that the output of a valid Case is, each asked for the whole message in one
/// call. An Error if they disagree or one of them fails: then no verdict on anything can be believed.
[[nodiscard]] Result<Answer> ask(const Case& c);

/// The comparison in ask(): what the Outcomes of oracles(), in that order, for the Case come to. The Error names the
/// shape, the origin, and both values at the first difference.
[[nodiscard]] Result<Answer> agreed_answer(const Case& c, std::array<Outcome, 2> outcomes);

}  // namespace aesgate
