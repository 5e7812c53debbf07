#include "cli/fault_report.h"

#include <gmock/gmock.h>

namespace aesgate {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

faults::Fault fault(const char* name, const char* needs = "") {
  faults::Fault made{};
  made.backend.name = name;
  made.backend.description = "planted";
  made.group = "group";
  made.report = "none";
  made.needs = needs;
  made.twin = "";
  return made;
}

constexpr int seen_nothing = 0, was_caught = 1, did_not_run = 2;

Seen seen(int what) {
  return {what != did_not_run, what == was_caught, what == did_not_run ? 0u : 7u, 0.5, {}, "a reason", {}};
}

FaultMatrix matrix_of(const faults::Fault& one, int what, Effort effort = Effort::quick) {
  FaultMatrix matrix;
  matrix.stages = {"kat", "fuzz"};
  matrix.effort = effort;
  matrix.rows.push_back({&one, {seen(what == did_not_run ? did_not_run : seen_nothing), seen(what)}});
  return matrix;
}

TEST(FaultReport, AFaultThatEscapesIsAFailureAndNamed) {
  const faults::Fault one = fault("fault-one");
  EXPECT_EQ(matrix_of(one, was_caught).exit_status(), 0);
  const FaultMatrix escaped = matrix_of(one, seen_nothing);
  EXPECT_EQ(escaped.exit_status(), 1);
  EXPECT_THAT(to_table(escaped, false), HasSubstr("\nESCAPE: fault-one\n\nFAIL: faults caught 0 of 1; "));
}

TEST(FaultReport, WhatNeedsMoreMayEscape) {
  const faults::Fault deep = fault("fault-deep", "deep");
  EXPECT_EQ(matrix_of(deep, seen_nothing).exit_status(), 0);
  EXPECT_EQ(matrix_of(deep, seen_nothing, Effort::deep).exit_status(), 1);
  EXPECT_THAT(to_table(matrix_of(deep, seen_nothing), false), HasSubstr("\nescape, needs deep: fault-deep ("));
  const faults::Fault gate = fault("fault-gate", "gate");
  EXPECT_EQ(matrix_of(gate, seen_nothing, Effort::deep).exit_status(), 0);
  EXPECT_EQ(matrix_of(gate, was_caught).exit_status(), 0);
}

TEST(FaultReport, AWarningIsEnoughWhereThereIsNothingWrong) {
  const faults::Fault one = fault("fault-one", "warning: leaves a mess");
  FaultMatrix matrix = matrix_of(one, seen_nothing);
  EXPECT_EQ(matrix.exit_status(), 1);
  matrix.rows[0].seen[1].notes = {"warning: fault-one leaves a mess in one place"};
  EXPECT_EQ(matrix.exit_status(), 0);
  EXPECT_THAT(to_table(matrix, false), ContainsRegex("\nfault-one +- +warned\n"));
  EXPECT_THAT(to_table(matrix, false), HasSubstr("PASS: faults caught 1 of 1; "));
}

TEST(FaultReport, AControlMustRunAndNotBeAccused) {
  const faults::Fault clean = fault("clean-one");
  EXPECT_EQ(matrix_of(clean, seen_nothing).exit_status(), 0);
  EXPECT_EQ(matrix_of(clean, was_caught).exit_status(), 1);
  EXPECT_THAT(to_table(matrix_of(clean, was_caught), false), HasSubstr("\nACCUSED: clean-one\n"));
  EXPECT_EQ(matrix_of(clean, did_not_run).exit_status(), 1);
  EXPECT_THAT(to_table(matrix_of(clean, did_not_run), false), HasSubstr("\nNOTHING RAN: clean-one\n"));
}

TEST(FaultReport, WhatCannotRunHereIsNoEscape) {
  const faults::Fault one = fault("fault-one");
  const FaultMatrix matrix = matrix_of(one, did_not_run);
  EXPECT_EQ(matrix.exit_status(), 0);
  EXPECT_THAT(to_table(matrix, false), HasSubstr("\ncannot run here: fault-one\n"));
}

TEST(FaultReport, CellsSayCasesAndSeconds) {
  const faults::Fault one = fault("fault-one");
  EXPECT_THAT(to_table(matrix_of(one, was_caught), false), ContainsRegex("\nfault-one +- +7 0.5s\n"));
  EXPECT_THAT(to_table(matrix_of(one, was_caught), false), HasSubstr("\nfault-one\n    fuzz: a reason\n"));
}

}  // namespace
}  // namespace aesgate
