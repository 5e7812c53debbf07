#include "perf/known_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perf/fake_clock.h"

namespace aesgate {
namespace {

using testing::HasSubstr;

/// A core of half a cycle a tick, so two ticks a cycle: all that takes time moves the clock.
class Known : public testing::Test {
 protected:
  CalibrationProbes probes() {
    return {{"ADD", 1000, [this] { clock.pass(2000 * first_part); }},
            {"IMUL", 3000, [this] { clock.pass(6000); }},
            {"NOP", 800, [this] { clock.pass(200); }}};
  }

  KnownFigure figure(double ticks, std::optional<double> expected = 4) {
    Calibration calibration(clock, probes());
    const KnownWork work{"a chain", "cycles an instruction", 500, expected, 0.005, [=, this] { clock.pass(ticks); }};
    return measure_known({work}, clock, calibration, 0).at(0);
  }

  FakeClock clock;
  double first_part = 1;
};

TEST_F(Known, WhatTakesItsTimeHolds) {
  const KnownFigure figure = this->figure(4000);
  EXPECT_NEAR(figure.median.value(), 4, 1e-9);
  EXPECT_EQ(figure.used, 11u);
  EXPECT_EQ(figure.taken, 11u);
  EXPECT_EQ(figure.holds(), true);
  EXPECT_EQ(this->figure(4019).holds(), true);
}

TEST_F(Known, WhatDoesNotIsSaid) {
  for (const double ticks : {3970.0, 4030.0}) {
    const KnownFigure figure = this->figure(ticks);
    EXPECT_EQ(figure.holds(), false);
    ClockCheck check;
    check.figures = {this->figure(4000), figure};
    EXPECT_EQ(check.exit_status(), 1);
    EXPECT_THAT(to_text(check), HasSubstr("expected 4.00 within 0.5%: DOES NOT HOLD\n"));
  }
}

TEST_F(Known, WithoutCalibrationNothingIsMeasured) {
  first_part = 1.01;
  const KnownFigure figure = this->figure(4000);
  EXPECT_FALSE(figure.median);
  EXPECT_FALSE(figure.holds());
  ClockCheck check;
  check.figures = {figure};
  EXPECT_EQ(check.exit_status(), 3);
  EXPECT_THAT(to_text(check), HasSubstr("not measurable: contended, 0 of 11 samples could be used\n"));
}

TEST_F(Known, WhereNothingIsKnownNothingHolds) {
  ClockCheck check;
  check.figures = {figure(4000, std::nullopt)};
  EXPECT_EQ(check.exit_status(), 3);
  EXPECT_THAT(to_text(check), HasSubstr("what it should be is not known for this core\n"));
  // Something else that holds is enough.
  check.figures.push_back(figure(4000));
  EXPECT_EQ(check.exit_status(), 0);
  EXPECT_EQ(ClockCheck{}.exit_status(), 3);
}

TEST(KnownWorks, FollowFromTheCore) {
  const AesUnit zen5{"Zen 5", 4, 2, 2, 2, 2};
  const auto works = known_works(&zen5);
  if (works.empty()) GTEST_SKIP() << "no AES-NI here";
  ASSERT_EQ(works.size(), 3u);
  EXPECT_EQ(works[0].expected, 4);
  EXPECT_EQ(works[1].expected, 2.5);
  EXPECT_EQ(works[2].expected, 2.75);
  for (const KnownWork& work : works) work.run();
  for (const KnownWork& work : known_works(nullptr)) EXPECT_FALSE(work.expected);
}

}  // namespace
}  // namespace aesgate
