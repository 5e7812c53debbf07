#include "cli/stages.h"

#include "fuzz/fuzz.h"
#include "kat/kat.h"
#include "props/props.h"

namespace aesgate {

const Stage& kat_stage() {
  static const Stage stage{"kat", run_kat, {Suite::cavp, Suite::fips197, Suite::sp800_38a, Suite::monte_carlo}};
  return stage;
}

const Stage& props_stage() {
  static const Stage stage{"props", run_props, {Suite::laws}};
  return stage;
}

const Stage& fuzz_stage() {
  static const Stage stage{"fuzz", run_fuzz, {Suite::boundary, Suite::random}};
  return stage;
}

}  // namespace aesgate
