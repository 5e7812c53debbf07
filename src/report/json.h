#pragma once

#include <string>

#include "report/summary.h"

namespace aesgate {

/// A run as JSON, UTF-8, ended by a line feed:
///
///     {… what json_head() has …,
///      "seed": 1, "effort": "normal", "modes": ["ECB", …], "key_bits": [128, …], "seconds": 41.2,
///      "backends": [
///        {"name", "kind", "unit", "available": true, "reason": "" (why it is not), "required": false,
///         "suites": {"cavp": {"agree": 12828, …}, …},
///         "cells": [{"mode": "CBC", "agree": 9000, "failures": 0, "total": 9000, "reasons": {…}}]}],
///      "oracles": {"agree": true (with each other and with what is published), "suspect_vectors": {"ORIGIN": "…"}},
///      "notes": ["…"],
///      "findings": [
///        {"suite", "backend", "shape": {"mode", "direction", "key_bits"}, "verdict", "reason",
///         "difference": {"field", "offset", "expected", "got"} or null, "origin", "case_file", "note"}],
///      "verdict": "pass", "sentence": "PASS: …", "exit_status": 0}
///
/// A suite's counts and a cell's reasons are by verdict ("agree", "mismatch", "unavailable", …), those that occurred;
/// a shape that was not run counts once. `total` is agree + failures. A finding's backend may be an oracle.
/// `expected` and `got` are the bytes as two hexadecimal digits.
[[nodiscard]] std::string to_json(const Summary& summary, const Record& record);

}  // namespace aesgate
