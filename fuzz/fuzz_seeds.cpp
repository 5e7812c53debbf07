// fuzz_seeds DIR: makes the seed corpora of the fuzz targets from NIST's vectors, a folder a target. The vectors are
// those that AESGATE_VECTORS names, or the source tree's. The same vectors always make the same files.

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/case_text.h"
#include "core/cavp_file.h"
#include "core/vectors_folder.h"
#include "core/write_file.h"
#include "fuzz/case_codec.h"
#include "fuzz/fit.h"
#include "fuzz/random_cases.h"

namespace aesgate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t seeds_per_file = 6;

/// A vector as a seed: within the limits of the codec, and, but for the first of a file, split and placed in
/// one of many ways, so that the corpus begins with some of each.
Case seed_case(const Case& vector, std::size_t number) {
  Case c = vector.copy();
  c.expected.reset();
  const Mode mode = c.shape.mode;
  resize(c, fit_length(mode, std::min(c.length, max_length(mode))));
  if (number % seeds_per_file == 0) return c;
  Prng prng(number);
  c.chunks = random_chunks(prng, mode, c.length);
  limit_chunks(mode, max_chunks, c.chunks);
  c.placement.in_place = prng.one_in(2);
  c.placement.input = random_spot(prng);
  c.placement.output = random_spot(prng);
  return c;
}

std::string vector_text(const Case& c) {
  const auto value = [&](ByteView bytes) {
    if (c.shape.mode != Mode::cfb1) return to_hex(bytes);
    std::string text;
    for (std::size_t i = 0; i < c.length; ++i) text += get_bit(bytes, i) ? '1' : '0';
    return text;
  };
  const bool encrypts = c.shape.direction == Direction::encrypt;
  std::string text = encrypts ? "[ENCRYPT]\n\nCOUNT = 0\n" : "[DECRYPT]\n\nCOUNT = 0\n";
  text += fmt::format("KEY = {}\n", to_hex(c.key.bytes()));
  if (has_iv(c.shape.mode)) text += fmt::format("IV = {}\n", to_hex(c.iv));
  text += fmt::format("PLAINTEXT = {}\n", value(encrypts ? c.input : *c.expected));
  text += fmt::format("CIPHERTEXT = {}\n\n", value(encrypts ? *c.expected : c.input));
  return text;
}

class Corpora {
 public:
  explicit Corpora(fs::path folder) : folder_(std::move(folder)) {}

  /// The seeds that one response file gives.
  Result<void> add(const fs::path& file, std::size_t file_number) {
    auto reader = TextReader::open(file);
    if (!reader) return tl::unexpected(reader.error());
    const auto cases = parse_cavp(*reader, file.filename().string());
    if (!cases) return tl::unexpected(cases.error());
    const std::string stem = file.stem().string();
    std::string vectors = file.filename().string() + "\n# The first and the last of these vectors.\n";
    vectors += vector_text(cases->front()) + vector_text(cases->back());
    if (const auto ok = put("vector_parser", stem + ".rsp", vectors); !ok) return ok;
    for (std::size_t i = 0; i < seeds_per_file; ++i) {
      const Case& vector = (*cases)[i * (cases->size() - 1) / (seeds_per_file - 1)];
      const Case seed = seed_case(vector, file_number * seeds_per_file + i);
      const Bytes bytes = encode(seed);
      const std::string name = fmt::format("{}-{}", stem, i);
      if (const auto ok = put("differential", name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}); !ok)
        return ok;
      if (i > 1) continue;
      if (const auto ok = put("case_parser", name + ".case", to_text(i == 0 ? vector : seed)); !ok) return ok;
    }
    return {};
  }

  Result<void> put(const char* target, const std::string& name, std::string_view content) {
    std::error_code problem;
    fs::create_directories(folder_ / target, problem);
    if (problem) return error("{}: {}", (folder_ / target).string(), problem.message());
    ++count_;
    return write_file(folder_ / target / name, content);
  }

  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  fs::path folder_;
  std::size_t count_ = 0;
};

/// A Monte Carlo loop, which no single vector is.
Case monte_carlo_case() {
  Case c = make_case({Mode::cfb8, Direction::encrypt, KeySize::bits128}, Key(), Block{}, Bytes(1), 1);
  c.chunks.clear();
  c.monte_carlo_steps = 1000;
  return c;
}

Result<std::size_t> make_corpora(const fs::path& folder) {
  const auto vectors = vectors_folder("");
  if (!vectors) return tl::unexpected(vectors.error());
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator entry(*vectors, problem), end; !problem && entry != end; entry.increment(problem))
    if (entry->path().extension() == ".rsp") files.push_back(entry->path());
  if (problem) return error("{}: {}", vectors->string(), problem.message());
  if (files.empty()) return error("{}: there is no .rsp file in this folder", vectors->string());
  std::ranges::sort(files);
  Corpora corpora(folder);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (const auto added = corpora.add(files[i], i); !added) return tl::unexpected(added.error());
  if (const auto added = corpora.put("case_parser", "monte-carlo.case", to_text(monte_carlo_case())); !added)
    return tl::unexpected(added.error());
  return corpora.count();
}

}  // namespace
}  // namespace aesgate

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: fuzz_seeds DIR\n");
    return 2;
  }
  const auto count = aesgate::make_corpora(argv[1]);
  if (!count) {
    fmt::print(stderr, "{}\n", count.error().message);
    return 2;
  }
  fmt::print("{} seeds in {}\n", *count, argv[1]);
  return 0;
}
