#include "kat/sp800_38a.h"

#include <array>
#include <string>
#include <string_view>

#include "kat/published.h"

namespace aesgate {
namespace {

constexpr std::array<std::string_view, 3> keys{
    "2b7e151628aed2a6abf7158809cf4f3c",
    "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
};

constexpr std::string_view initialization_vector = "000102030405060708090a0b0c0d0e0f";

/// All examples encrypt the beginning of this message: four blocks, or 16 bits in CFB1, or 18 bytes in CFB8.
constexpr std::string_view message =
    "6bc1bee22e409f96e93d7e117393172a"
    "ae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52ef"
    "f69f2445df4f9b17ad2b417be66c3710";

/// The examples of one mode. The standard numbers them by key size, encryption before decryption, from `first` on.
struct Examples {
  Mode mode;
  int section;  // F.1 to F.4
  int first;
  std::array<std::string_view, 3> ciphertexts;
};

constexpr std::array<Examples, 6> all_examples{{
    {Mode::ecb,
     1,
     1,
     {"3ad77bb40d7a3660a89ecaf32466ef97"
      "f5d3d58503b9699de785895a96fdbaaf"
      "43b1cd7f598ece23881b00e3ed030688"
      "7b0c785e27e8ad3f8223207104725dd4",
      "bd334f1d6e45f25ff712a214571fa5cc"
      "974104846d0ad3ad7734ecb3ecee4eef"
      "ef7afd2270e2e60adce0ba2face6444e"
      "9a4b41ba738d6c72fb16691603c18e0e",
      "f3eed1bdb5d2a03c064b5a7e3db181f8"
      "591ccb10d410ed26dc5ba74a31362870"
      "b6ed21b99ca6f4f9f153e7b1beafed1d"
      "23304b7a39f9f3ff067d8d8f9e24ecc7"}},
    {Mode::cbc,
     2,
     1,
     {"7649abac8119b246cee98e9b12e9197d"
      "5086cb9b507219ee95db113a917678b2"
      "73bed6b8e3c1743b7116e69e22229516"
      "3ff1caa1681fac09120eca307586e1a7",
      "4f021db243bc633d7178183a9fa071e8"
      "b4d9ada9ad7dedf4e5e738763f69145a"
      "571b242012fb7ae07fa9baac3df102e0"
      "08b0e27988598881d920a9e64f5615cd",
      "f58c4c04d6e5f1ba779eabfb5f7bfbd6"
      "9cfc4e967edb808d679f777bc6702c7d"
      "39f23369a9d9bacfa530e26304231461"
      "b2eb05e2c39be9fcda6c19078c6a9d1b"}},
    {Mode::cfb1, 3, 1, {"68b3", "9359", "9029"}},
    {Mode::cfb8,
     3,
     7,
     {"3b79424c9c0dd436bace9e0ed4586a4f32b9", "cda2521ef0a905ca44cd057cbf0d47a0678a",
      "dc1f1a8520a64db55fcc8ac554844e889700"}},
    {Mode::cfb128,
     3,
     13,
     {"3b3fd92eb72dad20333449f8e83cfb4a"
      "c8a64537a0b3a93fcde3cdad9f1ce58b"
      "26751f67a3cbb140b1808cf187a4f4df"
      "c04b05357c5d1c0eeac4c66f9ff7f2e6",
      "cdc80d6fddf18cab34c25909c99a4174"
      "67ce7f7f81173621961a2b70171d3d7a"
      "2e1e8a1dd59b88b1c8e60fed1efac4c9"
      "c05f9f9ca9834fa042ae8fba584b09ff",
      "dc7e84bfda79164b7ecd8486985d3860"
      "39ffed143b28b1c832113c6331e5407b"
      "df10132415e54b92a13ed0a8267ae2f9"
      "75a385741ab9cef82031623d55b1e471"}},
    {Mode::ofb,
     4,
     1,
     {"3b3fd92eb72dad20333449f8e83cfb4a"
      "7789508d16918f03f53c52dac54ed825"
      "9740051e9c5fecf64344f7a82260edcc"
      "304c6528f659c77866a510d9c1d6ae5e",
      "cdc80d6fddf18cab34c25909c99a4174"
      "fcc28b8d4c63837c09e81700c1100401"
      "8d9a9aeac0f6596f559c6d4daf59a5f2"
      "6d9f200857ca6c3e9cac524bd9acc92a",
      "dc7e84bfda79164b7ecd8486985d3860"
      "4febdc6740d20b3ac88f6ad82a4fb08d"
      "71ab47a086e86eedf39d1c5bba97c408"
      "0126141d67f37be8538f5a8be740e484"}},
}};

void add_example(std::vector<Case>& cases, const Examples& examples, std::size_t key, Direction direction) {
  const std::string_view ciphertext = examples.ciphertexts[key];
  const std::string_view plaintext = message.substr(0, ciphertext.size());
  const bool encrypts = direction == Direction::encrypt;
  Case whole = published_case(examples.mode, direction, keys[key], has_iv(examples.mode) ? initialization_vector : "",
                              encrypts ? plaintext : ciphertext, encrypts ? ciphertext : plaintext);
  const int number = examples.first + 2 * static_cast<int>(key) + (encrypts ? 0 : 1);
  whole.origin = fmt::format("SP 800-38A F.{}.{}", examples.section, number);
  Case split = whole.copy();
  split.origin += ", by segments";
  const std::size_t segment = segment_units(examples.mode);
  split.chunks.assign(split.length / segment, segment);
  cases.push_back(std::move(whole));
  cases.push_back(std::move(split));
}

}  // namespace

std::vector<Case> sp800_38a_cases(Mode mode) {
  std::vector<Case> cases;
  for (const Examples& examples : all_examples)
    if (examples.mode == mode)
      for (std::size_t key = 0; key < keys.size(); ++key)
        for (const Direction direction : all_directions) add_example(cases, examples, key, direction);
  return cases;
}

}  // namespace aesgate
