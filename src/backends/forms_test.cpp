// Which form a backend runs, and how another is named. CTest runs these tests also with CPU features hidden.

#include "backends/forms.h"

#include <array>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/registry.h"

namespace aesgate {
namespace {

constexpr aesgate_shape shape{AESGATE_ECB, AESGATE_ENCRYPT, 128, 0};

void expect_runs(const char* backend, const char* form) {
  const aesgate_backend& chosen = *find_backend(backend).value();
  const aesgate_backend& expected = *find_backend(form).value();
  EXPECT_EQ(why_unavailable(chosen), "");
  EXPECT_EQ(why_unavailable(expected), "");
  EXPECT_EQ(chosen.update_for(&chosen, &shape), expected.update_for(&expected, &shape));
  EXPECT_EQ(chosen.context_size(&chosen, &shape), expected.context_size(&expected, &shape));
}

TEST(forms, bitslice_runs_the_widest_that_the_cpu_has) {
  expect_runs("bitslice", has(Feature::avx512) ? "bitslice-avx512"
                          : has(Feature::avx2) ? "bitslice-avx2"
                                               : "bitslice-portable");
}

TEST(forms, vperm_runs_the_best_that_the_cpu_has_and_says_what_it_needs) {
  if (has(Feature::avx512)) return expect_runs("vperm", "vperm-avx512");
  if (has(Feature::ssse3)) return expect_runs("vperm", "vperm-ssse3");
  EXPECT_THAT(why_unavailable(*find_backend("vperm").value()),
              ::testing::AnyOf(::testing::HasSubstr("SSSE3"), ::testing::HasSubstr("ssse3")));
}

TEST(forms, gfni_runs_the_widest_that_the_cpu_has_and_says_what_it_needs) {
  if (!has(Feature::gfni) || !has(Feature::avx2)) {
    EXPECT_NE(why_unavailable(*find_backend("gfni").value()), "");
    return;
  }
  expect_runs("gfni", has(Feature::avx512) ? "gfni-avx512" : "gfni-avx2");
}

TEST(forms, no_two_forms_run_the_same_code) {
  for (const aesgate_backend* a : built_in_forms())
    for (const aesgate_backend* b : built_in_forms())
      if (a != b && a->update_for(a, &shape) != nullptr) {
        EXPECT_NE(a->update_for(a, &shape), b->update_for(b, &shape)) << a->name << " and " << b->name;
      }
}

TEST(forms, an_option_names_one_available_or_not) {
  for (const aesgate_backend* form : built_in_forms()) {
    const std::string name = form->name;
    const std::size_t dash = name.rfind('-');
    const auto found = find_backend(fmt::format("{}:form={}", name.substr(0, dash), name.substr(dash + 1)));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, form);
    EXPECT_EQ(find_backend(name).value(), form);
  }
}

TEST(forms, an_unknown_option_is_refused_with_the_known_ones) {
  for (const char* options :
       {"", "form", "form=", "form=avx", "form=avx512 ", "Form=portable", "portable", "form=ssse3"}) {
    const auto found = find_backend(fmt::format("bitslice:{}", options));
    ASSERT_FALSE(found) << options;
    EXPECT_THAT(found.error().message, ::testing::HasSubstr("form=portable")) << options;
  }
}

TEST(forms, the_reason_is_cut_to_its_size) {
  const aesgate_backend& bitslice = *find_backend("bitslice").value();
  std::array<char, 8> reason{"#######"};
  EXPECT_EQ(bitslice.configure(&bitslice, "nonsense", reason.data(), 5), nullptr);
  EXPECT_STREQ(reason.data(), "unkn");
  EXPECT_EQ(reason[5], '#');
  EXPECT_EQ(bitslice.configure(&bitslice, "nonsense", nullptr, 0), nullptr);
}

}  // namespace
}  // namespace aesgate
