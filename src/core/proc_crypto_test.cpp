#include "core/proc_crypto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aesgate {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view text =
    "name         : cbc(aes)\n"
    "driver       : cbc(aes-generic)\n"
    "module       : kernel\n"
    "priority     : 100\n"
    "internal     : no\n"
    "type         : skcipher\n"
    "\n"
    "name         : cbc(aes)\n"
    "driver       : cbc-aes-aesni\n"
    "module       : aesni_intel\n"
    "priority     : 400\n"
    "internal     : no\n"
    "type         : skcipher\n"
    "min keysize  : 16\n"
    "\n"
    "name         : cbc(aes)\n"
    "driver       : __cbc-aes-other\n"
    "priority     : 900\n"
    "internal     : yes\n"
    "type         : skcipher\n"
    "\n"
    "name         : sha256\n"
    "driver       : sha256-generic\n"
    "priority     : 1000\n"
    "type         : shash";  // no empty line at the end

std::vector<KernelDriver> drivers() { return parse_kernel_drivers(TextReader::from(text, "crypto")).value(); }

TEST(proc_crypto, every_entry_is_read) {
  ASSERT_EQ(drivers().size(), 4u);
  const KernelDriver second = drivers()[1];
  EXPECT_EQ(second.algorithm, "cbc(aes)");
  EXPECT_EQ(second.driver, "cbc-aes-aesni");
  EXPECT_EQ(second.module, "aesni_intel");
  EXPECT_EQ(second.type, "skcipher");
  EXPECT_EQ(second.priority, 400);
  EXPECT_FALSE(second.internal);
  EXPECT_TRUE(drivers()[2].internal);
  EXPECT_EQ(drivers()[3].driver, "sha256-generic");
}

TEST(proc_crypto, the_highest_priority_serves_unless_a_driver_is_named) {
  const auto all = drivers();
  EXPECT_EQ(serving_driver(all, "cbc(aes)")->driver, "cbc-aes-aesni");
  EXPECT_EQ(serving_driver(all, "cbc(aes-generic)")->priority, 100);
  EXPECT_EQ(serving_driver(all, "__cbc-aes-other"), nullptr);
  EXPECT_EQ(serving_driver(all, "sha256"), nullptr);
  EXPECT_EQ(serving_driver(all, "ecb(aes)"), nullptr);
}

TEST(proc_crypto, what_is_not_in_that_format_is_refused) {
  const auto refused = [](std::string_view bad) {
    const auto parsed = parse_kernel_drivers(TextReader::from(bad, "crypto"));
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_THAT(refused("name : a\ndriver : b\npriority : x\n"), HasSubstr("crypto:3: priority"));
  EXPECT_THAT(refused("name : a\n\n"), HasSubstr("crypto:2: an entry ends"));
  EXPECT_THAT(refused("nonsense\n"), HasSubstr("has no colon"));
  EXPECT_EQ(parse_kernel_drivers(TextReader::from("", "crypto")).value().size(), 0u);
}

}  // namespace
}  // namespace aesgate
