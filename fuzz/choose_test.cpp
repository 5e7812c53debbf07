#include "fuzz/choose.h"

#include <algorithm>
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "fuzz/prng.h"

namespace aesgate {
namespace {

/// As many backends as there are names, of which nothing but the name matters.
std::vector<aesgate_backend> named(const std::vector<const char*>& names) {
  std::vector<aesgate_backend> backends(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) backends[i].name = names[i];
  return backends;
}

std::vector<const aesgate_backend*> pointers(const std::vector<aesgate_backend>& backends) {
  std::vector<const aesgate_backend*> all;
  for (const aesgate_backend& backend : backends) all.push_back(&backend);
  return all;
}

Bytes random_bytes(Prng& prng) {
  Bytes bytes(prng.below(100));
  prng.fill(bytes);
  return bytes;
}

const auto backends =
    named({"sbox", "ttable", "bitslice", "vperm", "aesni", "vaes256", "vaes512", "openssl", "a", "b"});

TEST(choose_backends, gives_each_the_same_share) {
  std::map<std::string, int> runs;
  Prng prng(1);
  for (int i = 0; i < 10'000; ++i)
    for (const aesgate_backend* backend : choose_backends(random_bytes(prng), pointers(backends), 3))
      ++runs[backend->name];
  ASSERT_EQ(runs.size(), backends.size());
  for (const auto& [name, count] : runs) EXPECT_NEAR(count, 3000, 250) << name;  // five standard deviations
}

TEST(choose_backends, gives_each_the_same_share_of_inputs_that_differ_in_a_byte) {
  std::map<std::string, int> runs;
  for (int byte = 0; byte < 256; ++byte) {
    const Bytes input{0, 0, 0, static_cast<std::uint8_t>(byte)};
    for (const aesgate_backend* backend : choose_backends(input, pointers(backends), 1)) ++runs[backend->name];
  }
  ASSERT_EQ(runs.size(), backends.size());
  for (const auto& [name, count] : runs) EXPECT_NEAR(count, 25.6, 24) << name;
}

TEST(choose_backends, chooses_different_ones_and_as_many_as_it_should) {
  Prng prng(2);
  for (std::size_t count = 0; count < 12; ++count) {
    auto chosen = choose_backends(random_bytes(prng), pointers(backends), count);
    EXPECT_EQ(chosen.size(), std::min(count, backends.size()));
    std::ranges::sort(chosen);
    EXPECT_EQ(std::ranges::adjacent_find(chosen), chosen.end());
  }
}

TEST(choose_backends, chooses_among_fewer_what_it_chose_among_all) {
  Prng prng(3);
  const auto all = pointers(backends);
  for (int i = 0; i < 200; ++i) {
    const Bytes input = random_bytes(prng);
    const auto chosen = choose_backends(input, all, 2);
    // Without one of the others, and in another order.
    auto fewer = all;
    const auto other = std::ranges::find_if(
        fewer, [&](const aesgate_backend* backend) { return std::ranges::find(chosen, backend) == chosen.end(); });
    fewer.erase(other);
    std::ranges::reverse(fewer);
    EXPECT_THAT(choose_backends(input, fewer, 2), testing::UnorderedElementsAreArray(chosen));
  }
}

}  // namespace
}  // namespace aesgate
