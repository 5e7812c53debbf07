#include "report/stage_tests.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/cpu_mask.h"
#include "core/registry.h"
#include "core/text_file.h"
#include "core/vectors_folder.h"
#include "emulator/emulator.h"

namespace aesgate {
namespace {

std::string environment(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

std::vector<std::string> required_backends() {
  std::string list = environment("AESGATE_REQUIRE", "");
  std::ranges::replace(list, ' ', ',');
  std::vector<std::string> names;
  for (const std::string_view name : split(list, ','))
    if (!name.empty()) names.emplace_back(name);
  return names;
}

bool is_required(std::string_view backend) {
  const std::vector<std::string> names = required_backends();
  return std::ranges::find(names, backend) != names.end();
}

Result<Plan> plan_from_environment() {
  Plan plan;
  const auto effort = parse_effort(environment("AESGATE_EFFORT", "normal"));
  if (!effort) return error("AESGATE_EFFORT: {}", effort.error().message);
  plan.effort = *effort;
  const auto seed = parse_number(environment("AESGATE_SEED", "1"));
  if (!seed) return error("AESGATE_SEED: {}", seed.error().message);
  plan.seed = *seed;
  const auto vectors = vectors_folder(environment("AESGATE_VECTORS", ""));
  if (!vectors) return tl::unexpected(vectors.error());
  plan.vectors = *vectors;
  return plan;
}

class StageTest : public testing::Test {
 public:
  StageTest(StageFunction run, const aesgate_backend& backend, Mode mode) : run_(run), backend_(backend), mode_(mode) {}

  void TestBody() override {
    if (const std::string why = why_unavailable(backend_); !why.empty()) {
      ASSERT_FALSE(is_required(backend_.name)) << backend_.name << " is required, but unavailable: " << why;
      GTEST_SKIP() << backend_.name << " is unavailable: " << why;
    }
    Result<Plan> plan = plan_from_environment();
    ASSERT_TRUE(plan) << plan.error().message;
    plan->backends = {&backend_};
    // Absolute: whoever reads the line that replays a failure is in another folder than ctest was.
    Record record(std::filesystem::absolute(environment("AESGATE_CASES", default_case_folder)).lexically_normal());
    const Result<void> ran = run_(backend_, mode_, *plan, record);
    ASSERT_TRUE(ran) << ran.error().message;
    for (const Finding& finding : record.findings())
      ADD_FAILURE() << finding.backend << ' ' << name(finding.shape) << " [" << finding.origin
                    << "]: " << finding.judgement.reason << "\n  replay: aesgate replay " << finding.case_file.string()
                    << finding.note;
    if (const std::string note = emulator::note_on(backend_); !note.empty()) record.note(note);
    for (const std::string& note : record.notes()) std::printf("note: %s\n", note.c_str());
    const Tally tally = record.tally({});
    EXPECT_EQ(record.failures(), 0u);
    if (tally.count(Verdict::agree) > 0) {
      std::printf("%llu cases agree\n", static_cast<unsigned long long>(tally.count(Verdict::agree)));
      return;
    }
    ASSERT_GT(tally.count(Verdict::unsupported), 0u) << "no Case ran";
    GTEST_SKIP() << backend_.name << " does not support " << name(mode_) << ": " << tally.reason(Verdict::unsupported);
  }

 private:
  StageFunction run_;
  const aesgate_backend& backend_;
  Mode mode_;
};

/// A name in AESGATE_REQUIRE that no test has would require nothing.
class RequiredTest : public testing::Test {
 public:
  void TestBody() override {
    for (const std::string& name : required_backends()) {
      const auto backend = find_backend(name);
      EXPECT_TRUE(backend) << "AESGATE_REQUIRE: " << backend.error().message;
    }
  }
};

/// `text` as a quoted CMake argument.
std::string cmake_argument(std::string_view text) {
  std::string out = "[==[";
  out += text;
  return out + "]==]";
}

void print_ctest_commands(const std::string& program, const char* stage,
                          const std::vector<const aesgate_backend*>& backends) {
  const std::string required = fmt::format("{}.required.backends", stage);
  fmt::print("add_test({} {} {})\n", cmake_argument(required), cmake_argument(program),
             cmake_argument("--gtest_filter=" + required));
  fmt::print("set_tests_properties({} PROPERTIES LABELS {})\n", cmake_argument(required), stage);
  for (const aesgate_backend* backend : backends) {
    const std::string why = why_unavailable(*backend);
    // What is not here, and can be emulated, is: its tests say so in their labels.
    const std::string_view emulator = why.empty() ? "" : emulator::emulator_for(*backend);
    for (const Mode mode : all_modes) {
      const std::string test = fmt::format("{}.{}.{}", stage, backend->name, name(mode));
      std::string filter = test;
      std::ranges::replace(filter, '-', '?');  // in a filter, what follows "-" is left out
      std::string labels = stage;
      // CTest shows labels in its summary, and says nothing else about why a test was skipped.
      if (!emulator.empty())
        labels += fmt::format(";emulated: {}", emulator);
      else if (!why.empty() && !is_required(backend->name))
        labels += fmt::format(";skipped, {} is unavailable: {}", backend->name, why);
      fmt::print("add_test({} {} {})\n", cmake_argument(test), cmake_argument(program),
                 cmake_argument("--gtest_filter=" + filter));
      fmt::print("set_tests_properties({} PROPERTIES LABELS {} SKIP_REGULAR_EXPRESSION {}{})\n", cmake_argument(test),
                 cmake_argument(labels), cmake_argument("\\[  SKIPPED \\]"),
                 emulator.empty() ? "" : fmt::format(" ENVIRONMENT AESGATE_EMULATE={}", emulator));
    }
  }
}

std::string path_of_this_program(const char* fallback) {
  std::error_code failure;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", failure);
  return failure ? fallback : path.string();
}

}  // namespace

int run_stage_tests(int argc, char** argv, const char* stage, StageFunction run,
                    const std::vector<const aesgate_backend*>& backends) {
  if (const auto started = start_with_cpu_mask(argv); !started) {
    fmt::print(stderr, "{}\n", started.error().message);
    return 2;
  }
  if (argc == 2 && std::string_view(argv[1]) == "--ctest") {
    print_ctest_commands(path_of_this_program(argv[0]), stage, backends);
    return 0;
  }
  if (const auto emulators = emulator::named_in_environment(); !emulators) {
    fmt::print(stderr, "{}\n", emulators.error().message);
    return 2;
  }
  // One that cannot run here leaves its backends unavailable: skipped, or a failure if they are required.
  if (const auto emulated = emulator::install_from_environment(); !emulated)
    fmt::print(stderr, "{}\n", emulated.error().message);
  testing::InitGoogleTest(&argc, argv);
  testing::RegisterTest(fmt::format("{}.required", stage).c_str(), "backends", nullptr, nullptr, __FILE__, __LINE__,
                        []() -> RequiredTest* { return new RequiredTest; });
  for (const aesgate_backend* backend : backends)
    for (const Mode mode : all_modes)
      testing::RegisterTest(fmt::format("{}.{}", stage, backend->name).c_str(), std::string(name(mode)).c_str(),
                            nullptr, nullptr, __FILE__, __LINE__,
                            [=]() -> StageTest* { return new StageTest(run, *backend, mode); });
  const int status = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    fmt::print(stderr, "no test matches the filter\n");
    return 1;
  }
  return status;
}

}  // namespace aesgate
