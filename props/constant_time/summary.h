#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "props/constant_time/check.h"

namespace aesgate::constant_time {

/// Summary: a whole check, for reports.
struct Summary {
  std::vector<Conclusion> conclusions;  // in the order of the backends
  std::vector<Conclusion> controls;     // of each method that was used
  std::vector<std::string> judged;      // names that have to be constant-time, whatever they claim
  std::vector<std::string> required;    // names that have to have run
  std::vector<std::string> notes;
  std::string method_missing;  // why a method that was asked for cannot be used
  Request request;
  double seconds = 0;

  [[nodiscard]] bool is_judged(const Conclusion& conclusion) const;
};

/// How it ends: 1 if a backend that has to be constant-time leaks; 3 if a control does not leak, so that the check is
/// worth nothing, if what has to be constant-time came to no end, if what is required did not run, or nothing did.
struct Sentence {
  int exit_status = 0;
  std::string text;  // "PASS: …", "FAIL: …", "INVALID: …", "NOT PROVEN: …"
};
[[nodiscard]] Sentence conclude(const Summary& summary);

/// For a person.
[[nodiscard]] std::string to_text(const Summary& summary, bool colour);

/// {"seed", "keys", "secret": ["key", "text"], "seconds", "backends": [CONCLUSION…], "controls": [CONCLUSION…],
///  "notes": ["…"], "verdict": "pass", "sentence": "PASS: …", "exit_status": 0}, where a CONCLUSION is
/// {"name", "claim": "constant-time" | "leaks" | null, "judged": true, "method": "valgrind" | "trace",
///  "verdict": "constant-time" | "leaks" | "unknown" | "unavailable", "reason": "", "shapes_clean": 36,
///  "shapes_leaking": 0, "keys": 3, "instructions": 50000,
///  "leaks": [{"function", "file", "line", "object", "what"}], "notes": ["…"]}
[[nodiscard]] nlohmann::ordered_json to_json(const Summary& summary);

}  // namespace aesgate::constant_time
