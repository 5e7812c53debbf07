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
#include "fuzz/offered_backends.h"
#include "fuzz/random_cases.h"
#include "fuzz/stream.h"

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

/// The same vector as a vector set of ACVP: a prompt, or with its answer what is expected.
std::string acvp_text(const Case& c, bool with_answer) {
  const bool encrypts = c.shape.direction == Direction::encrypt;
  std::string test = fmt::format(R"("tcId": 1, "key": "{}", )", to_hex(c.key.bytes()));
  if (has_iv(c.shape.mode)) test += fmt::format(R"("iv": "{}", )", to_hex(c.iv));
  if (c.shape.mode == Mode::cfb1) test += fmt::format(R"("payloadLen": {}, )", c.length);
  if (with_answer) test = R"("tcId": 1, )";
  test +=
      fmt::format(R"("{}": "{}")", encrypts != with_answer ? "pt" : "ct", to_hex(with_answer ? *c.expected : c.input));
  return fmt::format(R"([{{"acvVersion": "1.0"}}, {{"vsId": 1, "algorithm": "ACVP-AES-{}", "revision": "1.0", )"
                     R"("isSample": true, "testGroups": [{{"tgId": 1, "testType": "AFT", "direction": "{}", )"
                     "\"keyLen\": {}, \"tests\": [{{{}}}]}}]}}]\n",
                     name(c.shape.mode), encrypts ? "encrypt" : "decrypt", bits(c.shape.key_size), test);
}

/// A stream that handles two contexts in the shapes of two vectors, call by call as the second seed of a Case does.
std::vector<StreamCall> stream_of(const Case& first, const Case& second) {
  std::vector<StreamCall> calls;
  const auto add = [&](StreamCall::Kind kind, std::uint8_t context, std::size_t number) {
    StreamCall call{kind,
                    context,
                    first.placement.in_place,
                    false,
                    false,
                    static_cast<std::uint8_t>(7 * calls.size()),
                    static_cast<std::uint16_t>(number)};
    if (calls.size() + 6 < most_stream_calls) calls.push_back(call);
  };
  add(StreamCall::Kind::start, 0, index(first.shape));
  add(StreamCall::Kind::start, 1, index(second.shape));
  for (std::size_t i = 0; i < std::max(first.chunks.size(), second.chunks.size()); ++i) {
    if (i < first.chunks.size()) add(StreamCall::Kind::update, 0, first.chunks[i]);
    if (i < second.chunks.size()) add(StreamCall::Kind::update, 1, second.chunks[i]);
    add(StreamCall::Kind::chaining_value, static_cast<std::uint8_t>(i % 2), 0);
  }
  add(StreamCall::Kind::refused, 1, 7);
  add(StreamCall::Kind::restart, 0, 0);
  add(StreamCall::Kind::update, 0, 33);
  add(StreamCall::Kind::finish, 1, 0);
  return calls;
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
    const Case& of_acvp = cases->front();
    for (const bool with_answer : {false, true})
      if (const auto ok = put("acvp_parser", fmt::format("{}-{}.json", stem, with_answer ? "expected" : "prompt"),
                              acvp_text(of_acvp, with_answer));
          !ok)
        return ok;
    const Case one = seed_case(cases->back(), 6 * file_number + 1);
    const Case other = seed_case(cases->front(), 6 * file_number + 2);
    if (const auto ok = put("stream", stem, encode_stream(stream_of(one, other))); !ok) return ok;
    for (std::size_t i = 0; i < seeds_per_file; ++i) {
      const Case& vector = (*cases)[i * (cases->size() - 1) / (seeds_per_file - 1)];
      const Case seed = seed_case(vector, file_number * seeds_per_file + i);
      const Bytes bytes = encode(seed);
      const std::string name = fmt::format("{}-{}", stem, i);
      if (const auto ok = put("differential", name, bytes); !ok) return ok;
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

  Result<void> put(const char* target, const std::string& name, ByteView content) {
    return put(target, name, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
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

/// What no vector is: plugins that are right, and wrong in one thing each.
Result<void> add_offered_backends(Corpora& corpora) {
  OfferedBackend second;
  second.name = "another";
  second.kind = "kernel";
  second.unit = "aes.xmm";
  second.functions = 0b1001'1110;
  second.context_align = std::uint64_t{2} << 20;
  std::vector<std::vector<OfferedBackend>> all{{}, {OfferedBackend()}, {OfferedBackend(), second}};
  const auto wrong = [&](auto change) {
    OfferedBackend backend = second;
    change(backend);
    all.push_back({OfferedBackend(), backend});
  };
  wrong([](OfferedBackend& b) { b.name = "mine"; });
  wrong([](OfferedBackend& b) { b.name = "Mine"; });
  wrong([](OfferedBackend& b) { b.name.reset(); });
  wrong([](OfferedBackend& b) { b.kind = "hardware"; });
  wrong([](OfferedBackend& b) { b.unit.reset(); });
  wrong([](OfferedBackend& b) { b.description.reset(); });
  wrong([](OfferedBackend& b) { b.abi_version = 2; });
  wrong([](OfferedBackend& b) { b.struct_size -= 1; });
  wrong([](OfferedBackend& b) { b.context_align = 24; });
  for (int bit = 0; bit < 8; ++bit)
    wrong([bit](OfferedBackend& b) { b.functions = static_cast<std::uint8_t>(0xff ^ 1 << bit); });
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const auto added = corpora.put("plugin_struct", fmt::format("offered-{:02}", i), encode_offered(all[i]));
        !added)
      return added;
  return {};
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
  if (const auto added = add_offered_backends(corpora); !added) return tl::unexpected(added.error());
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
