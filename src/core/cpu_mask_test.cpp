#include "core/cpu_mask.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "core/cpu_mask_libraries.h"

namespace aesgate {
namespace {

using testing::ElementsAre;

CpuMask mask(std::string_view text) {
  auto parsed = CpuMask::parse(text);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed.value_or(CpuMask());
}

/// What is hidden, in the order of all_features.
std::string hidden(std::string_view text) {
  const CpuMask parsed = mask(text);
  std::string names;
  for (const Feature feature : all_features)
    if (parsed.hides(feature)) names += std::string(names.empty() ? "" : " ") + name(feature);
  return names;
}

TEST(CpuMask, HidesWhatIsNamedAndWhatNoCpuHasWithoutIt) {
  EXPECT_EQ(hidden(""), "");
  EXPECT_EQ(hidden("gfni"), "gfni");
  EXPECT_EQ(hidden("avx512"), "avx512");
  EXPECT_EQ(hidden("aes"), "aes vaes");
  EXPECT_EQ(hidden("avx2"), "avx2 vaes avx512");
  EXPECT_EQ(hidden("avx"), "avx avx2 vaes avx512");
  EXPECT_EQ(hidden("sse41"), "sse41 aes avx avx2 vaes gfni avx512");
  EXPECT_EQ(hidden("ssse3"), "ssse3 sse41 aes avx avx2 vaes gfni avx512");
  EXPECT_EQ(hidden("gfni, vaes,,gfni"), "vaes gfni");
  EXPECT_EQ(mask("gfni, vaes,").text(), "gfni,vaes");
  EXPECT_TRUE(mask(" ,").hides_nothing());
  EXPECT_FALSE(mask("vaes").hides_nothing());
}

TEST(CpuMask, AnUnknownFeatureIsAnError) {
  for (const char* text : {"foo", "aes,foo", "foo,aes"}) {
    const auto parsed = CpuMask::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().message,
              "unknown feature \"foo\"; known: ssse3, sse41, aes, avx, avx2, vaes, gfni, avx512");
  }
  EXPECT_FALSE(CpuMask::parse("AES"));
  EXPECT_FALSE(CpuMask::parse("sse2"));
}

std::string value(std::string_view variable, std::string_view text) {
  for (const Variable& v : variables_of_libraries(mask(text)))
    if (v.name == variable) return v.value;
  return "not set";
}

// The bits of OPENSSL_ia32cap(3): "disable AES-NI" is ~0x200000000000000 there.
TEST(CpuMask, LibrariesAreToldInTheirOwnWords) {
  EXPECT_TRUE(variables_of_libraries(CpuMask()).empty());
  EXPECT_EQ(value("OPENSSL_ia32cap", "gfni"), "~0x0:~0x10000000000");
  EXPECT_EQ(value("OPENSSL_ia32cap", "aes"), "~0x200000000000000:~0x60000000000");
  EXPECT_EQ(value("BOTAN_CLEAR_CPUID", "aes"), "aesni,aes_ni,avx512_aes,avx2_vaes");
  EXPECT_THAT(value("NETTLE_FAT_OVERRIDE", "aes"), testing::StartsWith("vendor:"));
  EXPECT_EQ(value("NETTLE_FAT_OVERRIDE", "avx2"), "not set");
  EXPECT_THAT(libgcrypt_features(mask("aes")),
              ElementsAre(testing::StrEq("intel-aesni"), testing::StrEq("intel-vaes-vpclmul")));
}

}  // namespace
}  // namespace aesgate
