#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/text_file.h"
#include "oracle/fips197.h"

// The second oracle, held to every word and every state of FIPS-197, appendices A, B and C. The files in
// fips197/ have them in the standard's notation.

namespace aesgate {
namespace {

using fips197::KeySchedule;

struct Section {
  std::string name;  // "C.1 INVERSE CIPHER"
  Bytes key;
  std::vector<std::string> lines;  // "round[ 1].istart 7ad5fda789ef4e272bca100b3d9ff59f", one blank before the value
};

/// The sections of a file in fips197/, or none after a failure.
std::vector<Section> read_sections(const std::string& file) {
  std::vector<Section> sections;
  auto reader = TextReader::open(std::string(AESGATE_SOURCE_DIR "/kat/fips197/") + file);
  EXPECT_TRUE(reader) << (reader ? "" : reader.error().message);
  while (reader) {
    const auto line = reader->next();
    if (!line || !*line) break;
    const std::string_view text = trim(**line);
    if (text.empty() || text.starts_with('#')) continue;
    if (text.starts_with('[')) {
      sections.push_back({std::string(text.substr(1, text.size() - 2)), {}, {}});
    } else if (text.starts_with("KEY = ")) {
      sections.back().key = from_hex(text.substr(6)).value();
    } else {
      const std::size_t value = text.rfind(' ') + 1;
      sections.back().lines.push_back(fmt::format("{} {}", trim(text.substr(0, value)), text.substr(value)));
    }
  }
  return sections;
}

KeySchedule expand(const Section& section) { return fips197::KeyExpansion(section.key.data(), 8 * section.key.size()); }

/// The input of the cipher, which is the value of a section's first line.
Block first_value(const Section& section) {
  const std::string& line = section.lines.front();
  const Bytes bytes = from_hex(std::string_view(line).substr(line.rfind(' ') + 1)).value();
  Block block{};
  std::ranges::copy(bytes, block.begin());
  return block;
}

std::string line_of(unsigned round, std::string_view name, ByteView value) {
  return fmt::format("round[{:2}].{} {}", round, name, to_hex(value));
}

std::vector<std::string> lines_of(const std::vector<fips197::RoundValue>& values) {
  std::vector<std::string> lines;
  for (const auto& [round, name, value] : values) lines.push_back(line_of(round, name, value));
  return lines;
}

/// Section 5.3.5 out of the oracle's steps: the order of the cipher, and round keys through InvMixColumns.
class EquivalentInverseCipher {
 public:
  explicit EquivalentInverseCipher(const KeySchedule& schedule) : schedule_(schedule) {}

  std::vector<std::string> run(const Block& in) {
    state_ = fips197::to_state(in.data());
    const unsigned rounds = schedule_.Nr;
    see(0, "iinput", state_);
    add_round_key(0);
    for (unsigned round = 1; round <= rounds; ++round) {
      see(round, "istart", state_);
      fips197::InvSubBytes(state_);
      see(round, "is_box", state_);
      fips197::InvShiftRows(state_);
      see(round, "is_row", state_);
      if (round < rounds) {
        fips197::InvMixColumns(state_);
        see(round, "im_col", state_);
      }
      add_round_key(round);
    }
    see(rounds, "ioutput", state_);
    return std::move(lines_);
  }

 private:
  void add_round_key(unsigned round) {
    fips197::State key{};
    fips197::AddRoundKey(key, schedule_, schedule_.Nr - round);
    if (round > 0 && round < schedule_.Nr) fips197::InvMixColumns(key);
    see(round, "ik_sch", key);
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) state_.s[r][c] = static_cast<std::uint8_t>(state_.s[r][c] ^ key.s[r][c]);
  }

  void see(unsigned round, std::string_view name, const fips197::State& state) {
    Block block;
    fips197::from_state(state, block.data());
    lines_.push_back(line_of(round, name, block));
  }

  const KeySchedule& schedule_;
  fips197::State state_{};
  std::vector<std::string> lines_;
};

TEST(round_values, every_word_of_appendix_a) {
  const std::vector<Section> sections = read_sections("appendix_a.txt");
  ASSERT_EQ(sections.size(), 3u);
  std::size_t words = 0;
  for (const Section& section : sections) {
    const KeySchedule schedule = expand(section);
    ASSERT_EQ(section.lines.size(), 4 * (schedule.Nr + 1)) << section.name;
    for (std::size_t i = 0; i < section.lines.size(); ++i, ++words)
      EXPECT_EQ(section.lines[i], fmt::format("w[{:2}] {}", i, to_hex(schedule.w[i]))) << section.name;
  }
  EXPECT_EQ(words, 44u + 52u + 60u);
}

TEST(round_values, every_state_of_appendix_b) {
  const std::vector<Section> sections = read_sections("appendix_b.txt");
  ASSERT_EQ(sections.size(), 1u);
  const Section& section = sections.front();
  EXPECT_EQ(section.lines, lines_of(fips197::trace_Cipher(first_value(section), expand(section))));
}

TEST(round_values, every_state_of_appendix_c) {
  const std::vector<Section> sections = read_sections("appendix_c.txt");
  std::map<std::string, std::size_t> seen;
  for (const Section& section : sections) {
    const KeySchedule schedule = expand(section);
    const Block in = first_value(section);
    const std::string cipher = section.name.substr(section.name.find(' ') + 1);
    ++seen[cipher];
    if (cipher == "CIPHER")
      EXPECT_EQ(section.lines, lines_of(fips197::trace_Cipher(in, schedule))) << section.name;
    else if (cipher == "INVERSE CIPHER")
      EXPECT_EQ(section.lines, lines_of(fips197::trace_InvCipher(in, schedule))) << section.name;
    else
      EXPECT_EQ(section.lines, EquivalentInverseCipher(schedule).run(in)) << section.name;
  }
  EXPECT_EQ(seen, (std::map<std::string, std::size_t>{
                      {"CIPHER", 3}, {"EQUIVALENT INVERSE CIPHER", 3}, {"INVERSE CIPHER", 3}}));
}

TEST(round_values, a_trace_of_another_block_differs) {
  const Section section = read_sections("appendix_b.txt").at(0);
  Block in = first_value(section);
  in[15] ^= 1;
  EXPECT_NE(section.lines, lines_of(fips197::trace_Cipher(in, expand(section))));
}

}  // namespace
}  // namespace aesgate
