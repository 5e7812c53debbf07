#include "core/registry.h"

#include <csignal>

#include <gtest/gtest.h>

#include "core/execute.h"
#include "core/judge.h"

namespace aesgate {
namespace {

std::string why_refused(const std::vector<aesgate_backend>& backends) {
  std::vector<const aesgate_backend*> pointers;
  for (const aesgate_backend& backend : backends) pointers.push_back(&backend);
  const auto checked = check_backends(pointers);
  return checked ? "accepted" : checked.error().message;
}

TEST(registry, the_built_in_backends_keep_the_rules) {
  const auto checked = check_backends(built_in_backends());
  EXPECT_TRUE(checked) << checked.error().message;
  EXPECT_GE(built_in_backends().size(), 3u);
}

TEST(registry, a_struct_that_breaks_a_rule_is_refused) {
  const aesgate_backend good = *built_in_backends().front();
  EXPECT_EQ(why_refused({good}), "accepted");
  EXPECT_EQ(why_refused({good, good}), std::string("two backends are named ") + good.name + "; rename one in its file");
  aesgate_backend bad = good;
  bad.name = "Bad/../x";
  EXPECT_EQ(why_refused({bad}), "a backend: the name \"Bad/../x\" is not of a-z, 0-9, _ and -");
  bad = good;
  bad.abi_version = 2;
  EXPECT_NE(why_refused({bad}), "accepted");
  bad = good;
  bad.context_align = 3;
  EXPECT_NE(why_refused({bad}), "accepted");
  bad = good;
  bad.finish = nullptr;
  EXPECT_NE(why_refused({bad}), "accepted");
}

TEST(registry, a_crash_in_probe_is_a_failure_and_not_unavailable) {
  aesgate_backend crashes = *built_in_backends().front();
  crashes.probe = [](const aesgate_backend*, char*, std::size_t) -> int { return std::raise(SIGSEGV); };
  EXPECT_EQ(why_unavailable(crashes), "");
  const Case c = make_case({}, Key(), {}, Bytes(16), 16);
  const Judgement j = judge(c, execute(crashes, c), {c.input});
  EXPECT_EQ(j.verdict, Verdict::crashed);
  EXPECT_EQ(j.reason, "SIGSEGV in probe()");
  crashes = *built_in_backends().front();
  crashes.context_size = [](const aesgate_backend*, const aesgate_shape*) -> std::size_t {
    std::raise(SIGSEGV);
    return 0;
  };
  EXPECT_EQ(judge(c, execute(crashes, c), {c.input}).reason, "SIGSEGV in context_size()");
}

TEST(registry, an_unknown_name_lists_the_known_ones) {
  const auto found = find_backend("nosuch");
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().message.starts_with("unknown backend \"nosuch\"; known: ")) << found.error().message;
  EXPECT_NE(found.error().message.find(", sbox, ttable, "), std::string::npos) << found.error().message;
}

}  // namespace
}  // namespace aesgate
