#include "fuzz/fuzz.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/case_text.h"
#include "fuzz/boundary_cases.h"
#include "fuzz/case_codec.h"
#include "fuzz/differential.h"
#include "fuzz/fit.h"
#include "fuzz/planted.h"
#include "fuzz/random_cases.h"
#include "fuzz/reduce.h"
#include "report/coverage_minimum.h"

namespace aesgate {
namespace {

constexpr Shape cfb128{Mode::cfb128, Direction::encrypt, KeySize::bits128};

/// A run of the stage in quick effort, over a planted fault.
class FuzzStage : public testing::Test {
 protected:
  FuzzStage()
      : folder_(
            std::filesystem::path(testing::TempDir()) /
            fmt::format("aesgate_fuzz_{}_{}", testing::UnitTest::GetInstance()->current_test_info()->name(), getpid())),
        record_(folder_) {
    plan_.effort = Effort::quick;
    plan_.seed = 42;
  }
  ~FuzzStage() override { std::filesystem::remove_all(folder_); }

  Tally run(Fault fault, Mode mode) {
    const auto ran = run_fuzz(planted(fault), mode, plan_, record_);
    EXPECT_TRUE(ran) << ran.error().message;
    return record_.tally({});
  }

  /// The reproducer of the first finding, read back from its file.
  Case first_reproducer() {
    EXPECT_FALSE(record_.findings().empty());
    if (record_.findings().empty()) return decode({});
    auto c = read_case(record_.findings().front().case_file);
    EXPECT_TRUE(c) << c.error().message;
    return c ? std::move(*c) : decode({});
  }

  std::filesystem::path folder_;
  Plan plan_;
  Record record_;
};

TEST_F(FuzzStage, a_right_backend_agrees_on_every_case) {
  plan_.key_sizes = {KeySize::bits192};
  for (const Mode mode : all_modes) run(Fault::none, mode);
  const Tally tally = record_.tally({});
  EXPECT_EQ(tally.failures(), 0u) << tally.reason(Verdict::mismatch);
  EXPECT_EQ(tally.count(Verdict::agree), tally.total());
  EXPECT_EQ(record_.expected(), tally.total());
  EXPECT_EQ(record_.done(), tally.total());
  EXPECT_TRUE(record_.findings().empty());
  std::uint64_t random = 0;
  for (const Mode mode : all_modes) random += 2 * random_cases_per_shape(mode, Effort::quick);
  EXPECT_EQ(record_.tally({.suite = Suite::random, .backend = {}, .mode = {}, .shape = {}}).total(), random);
  for (const Shape& shape : all_shapes()) {
    if (shape.key_size != KeySize::bits192) continue;
    const Record::Boundary boundary = record_.boundary("planted", shape);
    EXPECT_EQ(boundary.planned, boundary_lattice(shape.mode, Effort::quick).points.size());
    const Coverage coverage = record_.coverage({.suite = Suite::boundary, .backend = {}, .mode = {}, .shape = shape});
    EXPECT_EQ(coverage.cases(), boundary.ran);
    const Extent extent = boundary.ran < boundary.planned ? Extent::core : Extent::whole;
    EXPECT_TRUE(check_coverage(shape.mode, coverage, extent).short_of.empty()) << name(shape);
  }
}

TEST_F(FuzzStage, boundary_cases_are_the_same_whatever_the_seed) {
  // One byte of one length at one alignment: what a fault needs must not depend on luck.
  plan_.key_sizes = {KeySize::bits128};
  const auto findings = [&](std::uint64_t seed) {
    Record record(folder_);
    plan_.seed = seed;
    EXPECT_TRUE(run_fuzz(planted(Fault::reads_past_end), Mode::ecb, plan_, record));
    std::vector<std::string> all;
    for (const Finding& finding : record.findings())
      if (finding.suite == Suite::boundary) all.push_back(finding.origin + finding.judgement.reason);
    return all;
  };
  const auto first = findings(1);
  EXPECT_EQ(first.size(), Record::findings_per_cell);
  EXPECT_EQ(findings(2), first);
  EXPECT_EQ(findings(1), first);
}

TEST_F(FuzzStage, a_slow_backend_runs_fewer_cases_and_the_record_says_so) {
  plan_.key_sizes = {KeySize::bits128};
  const Tally tally = run(Fault::takes_its_time, Mode::ecb);
  EXPECT_EQ(tally.failures(), 0u);
  EXPECT_GT(tally.count(Verdict::agree), 0u);
  const BoundaryLattice& lattice = boundary_lattice(Mode::ecb, Effort::quick);
  EXPECT_LT(tally.count(Verdict::agree),
            2 * (random_cases_per_shape(Mode::ecb, Effort::quick) + lattice.points.size()));
  EXPECT_EQ(record_.expected(), tally.count(Verdict::agree));
  ASSERT_EQ(record_.notes().size(), 2u);
  EXPECT_THAT(record_.notes()[0], testing::MatchesRegex("boundary: .* ECB ran [0-9]+ of [0-9]+ cases: all would have "
                                                        "taken it more than 100 ms a shape"));
  EXPECT_THAT(record_.notes()[1], testing::StartsWith("random: "));
  // Fewer, but one of each class.
  for (const Direction direction : all_directions) {
    const Shape shape{Mode::ecb, direction, KeySize::bits128};
    const Record::Boundary boundary = record_.boundary("planted", shape);
    EXPECT_GE(boundary.ran, lattice.core);
    EXPECT_LT(boundary.ran, boundary.planned);
    const Coverage coverage = record_.coverage({.suite = Suite::boundary, .backend = {}, .mode = {}, .shape = shape});
    EXPECT_TRUE(check_coverage(Mode::ecb, coverage, Extent::core).short_of.empty()) << name(shape);
  }
}

TEST_F(FuzzStage, finds_a_wrong_tail_and_reduces_it) {
  const Tally tally = run(Fault::wrong_tail, Mode::cfb128);
  EXPECT_GT(tally.count(Verdict::mismatch), 0u);
  EXPECT_GT(tally.count(Verdict::agree), 0u);
  EXPECT_EQ(record_.findings().size(), 2 * Record::findings_per_cell);  // of either suite
  const Case c = first_reproducer();
  EXPECT_EQ(c.length, 129u);
  EXPECT_EQ(c.chunks, std::vector<std::size_t>{129});
  EXPECT_EQ(c.placement, Placement{});
  EXPECT_EQ(c.input, Bytes(129));
  EXPECT_EQ(c.backend, "planted");
  EXPECT_THAT(c.origin, testing::StartsWith("boundary case "));
  const auto judgement = check(planted(Fault::wrong_tail), c);
  ASSERT_TRUE(judgement);
  EXPECT_EQ(judgement->verdict, Verdict::mismatch);
  EXPECT_EQ(judgement->difference->offset, 128);
  EXPECT_EQ(check(planted(Fault::none), c)->verdict, Verdict::agree);
}

TEST_F(FuzzStage, finds_a_fault_of_the_third_call) {
  EXPECT_GT(run(Fault::wrong_later_call, Mode::ofb).count(Verdict::mismatch), 0u);
  EXPECT_EQ(first_reproducer().chunks, (std::vector<std::size_t>{1, 1, 1}));
}

TEST_F(FuzzStage, finds_a_read_past_the_input) {
  EXPECT_GT(run(Fault::reads_past_end, Mode::ecb).count(Verdict::crashed), 0u);
  const Case c = first_reproducer();
  EXPECT_EQ(c.length, 32u);
  EXPECT_EQ(c.placement.input, (Spot{Spot::Edge::end, 0}));
}

TEST_F(FuzzStage, finds_a_write_past_the_output) {
  const Tally tally = run(Fault::writes_past_end, Mode::cbc);
  EXPECT_GT(tally.count(Verdict::mismatch) + tally.count(Verdict::crashed), 0u);
  EXPECT_EQ(first_reproducer().length, 32u);
}

TEST_F(FuzzStage, finds_a_length_that_is_not_refused) {
  EXPECT_GT(run(Fault::takes_any_length, Mode::cbc).count(Verdict::failed), 0u);
  const Case c = first_reproducer();
  EXPECT_EQ(c.length, 0u);
  ASSERT_EQ(c.chunks.size(), 1u);
  EXPECT_TRUE(is_probe(Mode::cbc, c.chunks.front()));
}

TEST_F(FuzzStage, what_is_unsupported_or_unavailable_is_not_run_and_no_pass) {
  run(Fault::is_not_here, Mode::ofb);
  const Tally ofb = record_.tally({.suite = {}, .backend = {}, .mode = Mode::ofb, .shape = {}});
  EXPECT_EQ(ofb.count(Verdict::unavailable), 12u);  // of either suite
  EXPECT_EQ(ofb.total(), 12u);
  EXPECT_EQ(ofb.reason(Verdict::unavailable), "it was planted so");
  run(Fault::has_no_decryption, Mode::cbc);
  const Tally decryption =
      record_.tally({.suite = {}, .backend = {}, .mode = {}, .shape = Shape{Mode::cbc, Direction::decrypt}});
  EXPECT_EQ(decryption.count(Verdict::unsupported), 2u);
  EXPECT_EQ(decryption.count(Verdict::agree), 0u);
}

TEST(reduce, is_deterministic_and_ends_within_its_tries) {
  const Case c = random_case(1, 3, cfb128);
  std::size_t tries = 0;
  const StillFails always = [&](const Case& candidate) {
    EXPECT_TRUE(candidate.validate());
    EXPECT_EQ(candidate.shape, cfb128);
    ++tries;
    return true;
  };
  EXPECT_EQ(reduce(c, always).length, 0u);
  EXPECT_GT(tries, 0u);
  tries = 0;
  EXPECT_EQ(to_text(reduce(
                c, [&](const Case&) { return ++tries, false; }, 50)),
            to_text(c));
  EXPECT_LE(tries, 50u);
}

TEST(reduce, keeps_what_the_failure_needs) {
  // CFB1, where the front of a message is not at a byte: the one bit that matters must stay.
  Case c = make_case({Mode::cfb1, Direction::encrypt, KeySize::bits256}, Key(KeySize::bits256), Block{}, Bytes(13), 99);
  c.chunks = {10, 0, 20, 69};
  set_bit(c.input, 37, true);
  const StillFails has_a_one = [](const Case& candidate) {
    if (!candidate.validate()) return false;
    for (std::size_t i = 0; i < candidate.length; ++i)
      if (get_bit(candidate.input, i)) return true;
    return false;
  };
  const Case reduced = reduce(c, has_a_one);
  EXPECT_EQ(reduced.length, 1u);
  EXPECT_EQ(reduced.input, Bytes{0x80});
  EXPECT_EQ(reduced.chunks, std::vector<std::size_t>{1});
}

TEST(reduce, keeps_only_the_conditions_that_the_failure_needs) {
  Case c = random_case(1, 3, cfb128);
  c.conditions = {Conditions::Memory::restarted, 3, 2, true, true};
  c.placement.context = {Spot::Edge::start, 5};
  const StillFails needs_two = [](const Case& candidate) {
    return candidate.conditions.company > 0 && candidate.conditions.memory == Conditions::Memory::restarted &&
           candidate.placement.context.edge == Spot::Edge::start;
  };
  const Case reduced = reduce(c, needs_two);
  EXPECT_EQ(reduced.conditions, (Conditions{Conditions::Memory::restarted, 1, 0, false, false}));
  EXPECT_EQ(reduced.placement.context, (Spot{Spot::Edge::start, 0}));
  EXPECT_EQ(reduced.length, 0u);
}

TEST(differential, names_the_backend_that_fails_and_how) {
  const aesgate_backend* const backends[] = {&planted(Fault::is_not_here), &planted(Fault::none),
                                             &planted(Fault::wrong_tail)};
  Case c = make_case(cfb128, Key(), Block{}, Bytes(200), 200);
  const auto found = find_disagreement(backends, c);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  EXPECT_THAT((*found)->line, testing::MatchesRegex("mismatch: planted: CFB128 encrypt 128: output differs from the "
                                                    "oracles at byte 128: expected .., got .."));
  EXPECT_EQ((*found)->reproducer.length, 129u);
  EXPECT_EQ((*found)->reproducer.backend, "planted");

  resize(c, 192);
  const auto nothing = find_disagreement(backends, c);
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(*nothing);
}

}  // namespace
}  // namespace aesgate
