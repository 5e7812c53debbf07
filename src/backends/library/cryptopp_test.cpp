#include <cryptopp/aes.h>
#include <gtest/gtest.h>

#include "core/cpu.h"
#include "core/cpu_mask.h"
#include "core/registry.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

// The oracle has switched its copy of Crypto++ to portable code; the one that the backend uses must not have noticed.
TEST(cryptopp, runs_the_code_for_this_cpu_beside_the_oracle_which_does_not) {
  if (!has(Feature::aes) || !cpu_mask().hides_nothing())
    GTEST_SKIP() << "for a CPU with AES of which nothing is hidden";
  const Case c = make_case({Mode::ecb, Direction::encrypt, KeySize::bits128}, Key(), {}, Bytes(16), 16);
  ASSERT_TRUE(ask(c));
  EXPECT_EQ(why_unavailable(cryptopp_oracle()), "");  // which says that it is on portable code
  EXPECT_EQ(CryptoPP::AES::Encryption().AlgorithmProvider(), "AESNI");
}

}  // namespace
}  // namespace aesgate
