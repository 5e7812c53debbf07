#include "oracle/oracle_cryptopp.h"

#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "oracle/oracle.h"

namespace aesgate {
namespace {

/// The file from which `address` was mapped.
std::filesystem::path file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fname : "";
}

template <typename T>
T read_at(const std::string& file, std::size_t offset) {
  if (offset + sizeof(T) > file.size()) throw std::runtime_error("the ELF file ends early");
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

/// The names that an ELF file gives to others: the defined symbols of its dynamic symbol table.
std::vector<std::string> exported_symbols(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  const auto header = read_at<ElfW(Ehdr)>(file, 0);
  std::vector<std::string> names;
  const auto section = [&](std::size_t i) {
    return read_at<ElfW(Shdr)>(file, header.e_shoff + i * header.e_shentsize);
  };
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const ElfW(Shdr) table = section(i);
    if (table.sh_type != SHT_DYNSYM) continue;
    const ElfW(Shdr) strings = section(table.sh_link);
    for (std::size_t at = 0; at < table.sh_size; at += table.sh_entsize) {
      const auto symbol = read_at<ElfW(Sym)>(file, table.sh_offset + at);
      if (symbol.st_shndx != SHN_UNDEF) names.emplace_back(file.c_str() + strings.sh_offset + symbol.st_name);
    }
  }
  return names;
}

TEST(CryptoppOracle, SharedObjectExportsOneFunction) {
  const auto path = file_of(reinterpret_cast<const void*>(cryptopp_oracle().probe));
  ASSERT_EQ(path.filename(), "libaesgate_oracle_cryptopp.so");
  EXPECT_THAT(exported_symbols(path), testing::ElementsAre("aesgate_oracle_cryptopp"));
}

TEST(CryptoppOracle, TheReaderOfSymbolsSeesThemWhereThereAreMore) {
  const auto names = exported_symbols(file_of(dlsym(RTLD_DEFAULT, "dlsym")));
  EXPECT_THAT(names, testing::Contains("dlsym"));
  EXPECT_GT(names.size(), 100u);
}

TEST(CryptoppOracle, ItsCopyOfCryptoppIsNobodyElses) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "_ZN8CryptoPP18DetectX86FeaturesEv"), nullptr);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "_ZN8CryptoPP12g_nullStringE"), nullptr);
  EXPECT_NE(dlsym(RTLD_DEFAULT, "aesgate_oracle_cryptopp"), nullptr);
}

TEST(CryptoppOracle, RunsThePortableCode) {
  const aesgate_backend& oracle = cryptopp_oracle();
  std::array<char, 256> reason{};
  EXPECT_STREQ(static_cast<const char*>(oracle.data), "C++");
  EXPECT_EQ(oracle.probe(&oracle, reason.data(), reason.size()), AESGATE_OK) << reason.data();
}

TEST(CryptoppOracle, ProbeSaysInWordsThatAnotherCodeRuns) {
  aesgate_backend asks_for_another = cryptopp_oracle();
  asks_for_another.data = "AESNI";
  std::array<char, 256> reason{};
  EXPECT_EQ(asks_for_another.probe(&asks_for_another, reason.data(), reason.size()), AESGATE_UNAVAILABLE);
  EXPECT_THAT(reason.data(), testing::StartsWith("Crypto++ does AES by \"C++\" and not by \"AESNI\""));
}

}  // namespace
}  // namespace aesgate
