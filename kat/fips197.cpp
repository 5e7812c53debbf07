#include "kat/fips197.h"

#include <array>
#include <string_view>

#include "kat/published.h"

namespace aesgate {
namespace {

struct Example {
  std::string_view section, key, plaintext, ciphertext;
};

constexpr std::array<Example, 4> examples{{
    {"B", "2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"},
    {"C.1", "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"},
    {"C.2", "000102030405060708090a0b0c0d0e0f1011121314151617", "00112233445566778899aabbccddeeff",
     "dda97ca4864cdfe06eaf70a0ec0d7191"},
    {"C.3", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "00112233445566778899aabbccddeeff",
     "8ea2b7ca516745bfeafc49904b496089"},
}};

}  // namespace

std::vector<Case> fips197_cases() {
  std::vector<Case> cases;
  for (const Example& example : examples)
    for (const Direction direction : all_directions) {
      const bool encrypts = direction == Direction::encrypt;
      Case c = published_case(Mode::ecb, direction, example.key, "", encrypts ? example.plaintext : example.ciphertext,
                              encrypts ? example.ciphertext : example.plaintext);
      c.origin = fmt::format("FIPS-197 appendix {} {}", example.section, name(direction));
      cases.push_back(std::move(c));
    }
  return cases;
}

}  // namespace aesgate
