#include "witness/asked_for.h"

#include <gmock/gmock.h>

namespace aesgate::witness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string named(std::string_view argument) {
  const auto algorithm = asked_algorithm(argument);
  return algorithm ? algorithm->name() : "none";
}

TEST(AskedFor, AesAsProgramsNameIt) {
  EXPECT_EQ(named("aes-128-cbc"), "AES-128-CBC");
  EXPECT_EQ(named("-aes-256-ctr"), "AES-256-CTR");
  EXPECT_EQ(named("AES192"), "AES-192");
  EXPECT_EQ(named("aes_256_gcm"), "AES-256-GCM");
  EXPECT_EQ(named("--cipher=aes-xts-plain64"), "AES-XTS");
  EXPECT_EQ(named("aes"), "AES");
}

TEST(AskedFor, WhatOnlyBeginsLikeIt) {
  for (const char* other : {"aesthetics", "aes-512-cbc", "aes-128-cbc.txt", "/usr/bin/aes", "sha256", "", "-", "aes--"})
    EXPECT_EQ(named(other), "none") << other;
}

TEST(AskedFor, EnginesAndProviders) {
  const AskedFor asked = asked_for({{"sh", "-c", "…"},
                                    {"openssl", "speed", "-engine", "afalg", "-provider=legacy", "-evp", "aes-128-cbc"},
                                    {"openssl", "enc", "--engine", "afalg", "-aes-128-cbc", "-engine"}});
  EXPECT_THAT(asked.engines, ElementsAre("afalg"));
  EXPECT_THAT(asked.providers, ElementsAre("legacy"));
  EXPECT_THAT(asked.algorithms, ElementsAre(AskedAlgorithm{128, "CBC"}));
  // The program's own name is no argument.
  EXPECT_THAT(asked_for({{"aes-128-cbc"}}).algorithms, IsEmpty());
}

}  // namespace
}  // namespace aesgate::witness
