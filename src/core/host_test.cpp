#include "core/host.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace aesgate {
namespace {

/// What AESGATE_WITHOUT was comes back: other tests of this process may run with it.
class CpuEnvironment : public testing::Test {
 protected:
  ~CpuEnvironment() override {
    if (was_set_)
      setenv("AESGATE_WITHOUT", before_.c_str(), 1);
    else
      unsetenv("AESGATE_WITHOUT");
  }

 private:
  bool was_set_ = std::getenv("AESGATE_WITHOUT") != nullptr;
  std::string before_ = was_set_ ? std::getenv("AESGATE_WITHOUT") : "";
};

TEST_F(CpuEnvironment, NamesOfFeaturesAreAccepted) {
  unsetenv("AESGATE_WITHOUT");
  EXPECT_TRUE(check_cpu_environment());
  for (const char* good : {"", "aes", "vaes, aes", "ssse3,sse41,aes,avx,avx2,vaes,gfni,avx512"}) {
    setenv("AESGATE_WITHOUT", good, 1);
    EXPECT_TRUE(check_cpu_environment()) << good;
  }
}

TEST_F(CpuEnvironment, AnUnknownFeatureIsAnError) {
  for (const char* bad : {"foo", "aes,foo", "foo,aes"}) {
    setenv("AESGATE_WITHOUT", bad, 1);
    const Result<void> checked = check_cpu_environment();
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().message,
              "AESGATE_WITHOUT: unknown feature \"foo\"; known: ssse3, sse41, aes, avx, avx2, vaes, gfni, avx512");
  }
  setenv("AESGATE_WITHOUT", "AES", 1);
  EXPECT_FALSE(check_cpu_environment());
}

}  // namespace
}  // namespace aesgate
