// The one-line formats: bench-slope --csv (libgcrypt), kcapi-speed, cryptsetup benchmark.

#include <algorithm>
#include <cmath>

#include "core/text_file.h"
#include "explain/line_reader.h"
#include "explain/words.h"

namespace aesgate::explain {
namespace {

constexpr double mebi = 1024.0 * 1024;

/// What these readers have in common: lines that stand for themselves make runs of one invocation a text.
class TableReader : public LineReader {
 public:
  explicit TableReader(Tool tool) : tool_(tool) {}

  void finish(Reading& reading) override {
    if (runs_.empty()) return;
    const std::size_t number = reading.invocations++;
    for (SpeedRun& run : runs_) {
      run.invocation.tool = tool_;
      run.invocation.place = runs_.front().place;
      run.invocation.clock = Clock::elapsed;
      run.invocation_number = number;
      reading.runs.push_back(std::move(run));
    }
  }

 protected:
  SpeedRun& run_of(const Algorithm& algorithm, const std::string& variant, const Place& place) {
    const auto same = [&](const SpeedRun& run) { return run.algorithm == algorithm && run.variant == variant; };
    if (const auto run = std::ranges::find_if(runs_, same); run != runs_.end()) return *run;
    SpeedRun& run = runs_.emplace_back();
    run.algorithm = algorithm;
    run.variant = variant;
    run.place = place;
    return run;
  }

 private:
  Tool tool_;
  std::vector<SpeedRun> runs_;
};

/// "cipher,AES,CBC enc,,,0.690,ns/B,1382.1,MiB/s,2.50,c/B,3625.0,Mhz": a slope over the sizes from 16 bytes to some
/// KiB.
class BenchSlopeReader : public TableReader {
 public:
  BenchSlopeReader() : TableReader(Tool::bench_slope) {}
  Result<std::size_t> take(const Text& text, std::size_t at) override {
    const std::vector<std::string_view> fields = split(text.line(at), ',');
    const auto unit = std::ranges::find(fields, "ns/B");
    if (fields.size() < 9 || unit == fields.end() || unit - fields.begin() < 4) return 0;
    const auto slope = parse_decimal(*(unit - 1));
    if (!slope || *slope <= 0) return text.error_at(at, "\"{}\": no figure before ns/B", excerpt(text.line(at)));
    Algorithm algorithm = parse_algorithm(std::string(fields[1]) + ' ' + std::string(fields[2]));
    if (algorithm.aes && algorithm.key_bits == 0)  // libgcrypt's name of AES-128 is AES
      algorithm = parse_algorithm("AES128 " + std::string(fields[2]));
    if (mentions(fields[2], " enc")) algorithm.direction = Direction::encrypt;
    if (mentions(fields[2], " dec")) algorithm.direction = Direction::decrypt;
    SpeedRun& run = run_of(algorithm, "", text.place(at));
    run.nanoseconds_per_byte = *slope;
    if (const auto cycles = std::ranges::find(fields, "c/B"); cycles != fields.end() && cycles != fields.begin())
      run.cycles_per_byte = parse_decimal(*(cycles - 1));
    return 1;
  }
};

/// Raw: "AES(G) CBC(G) 128,e,16,38250496,2390656": bytes a call, bytes a second, calls a second. For people, with bars:
/// "AES(G) CBC(G) 128  |e|      16 bytes|   36.50 MB/s|2390656 ops/s".
class KcapiReader : public TableReader {
 public:
  KcapiReader() : TableReader(Tool::kcapi) {}
  Result<std::size_t> take(const Text& text, std::size_t at) override {
    const std::string& line = text.line(at);
    const bool bars = line.ends_with(" ops/s");
    const std::vector<std::string_view> fields = split(line, bars ? '|' : ',');
    if (fields.size() != 5 || (fields[1] != "e" && fields[1] != "d")) return 0;
    const auto wrong = [&] { return text.error_at(at, "\"{}\": no figures of kcapi-speed", excerpt(line)); };
    const auto first = [](std::string_view field) { return field.substr(0, field.find(' ')); };
    const auto bytes = parse_size(first(fields[2]));
    const auto rate = bars ? with_unit(fields[3]) : parse_decimal(fields[3]);
    if (!bytes || !rate) return wrong();
    Algorithm algorithm = parse_algorithm(fields[0]);
    algorithm.direction = fields[1] == "e" ? Direction::encrypt : Direction::decrypt;
    Sample sample;
    sample.bytes = *bytes;
    sample.bytes_per_second = *rate;
    sample.line = text.place(at).line;
    if (!insert(run_of(algorithm, std::string(fields[0]), text.place(at)), sample))
      return text.error_at(at, "\"{}\": {} bytes for the second time; name runs as files of their own", excerpt(line),
                           *bytes);
    return 1;
  }

 private:
  /// "36.50 MB/s": whole mebibytes, and after the point the rest in units of 10,000 bytes, without leading zeros.
  static std::optional<double> with_unit(std::string_view field) {
    const std::vector<std::string_view> parts = words(field);
    if (parts.size() != 2) return std::nullopt;
    const std::size_t point = parts[0].find('.');
    const auto whole = parse_decimal(parts[0].substr(0, point));
    const auto rest = point == std::string_view::npos ? std::optional(0.0) : parse_decimal(parts[0].substr(point + 1));
    if (!whole || !rest) return std::nullopt;
    if (parts[1] == "B/s") return *whole;
    if (parts[1] == "kB/s") return *whole * 1024 + *rest * 10;
    if (parts[1] == "MB/s") return *whole * mebi + *rest * 1e4;
    if (parts[1] == "GB/s") return *whole * mebi * 1024 + *rest * 1e7;
    return std::nullopt;
  }
};

/// "  aes-cbc   256b   86.5 MiB/s   324.0 MiB/s": encryption, decryption; the size of its calls is not told.
class CryptsetupReader : public TableReader {
 public:
  CryptsetupReader() : TableReader(Tool::cryptsetup) {}
  Result<std::size_t> take(const Text& text, std::size_t at) override {
    std::vector<std::string_view> parts = words(text.line(at));
    parts.erase(std::remove(parts.begin(), parts.end(), "|"), parts.end());
    if (parts.size() != 6 || parts[3] != "MiB/s" || parts[5] != "MiB/s" || !parts[1].ends_with('b')) return 0;
    const auto bits = parse_size(parts[1].substr(0, parts[1].size() - 1));
    const auto encrypt = parse_decimal(parts[2]), decrypt = parse_decimal(parts[4]);
    if (!bits || !encrypt || !decrypt)
      return text.error_at(at, "\"{}\": no figures of cryptsetup benchmark", excerpt(text.line(at)));
    const bool two_keys = parts[0].ends_with("-xts");  // IEEE 1619: half of the bits are the tweak's
    Algorithm algorithm = parse_algorithm(fmt::format("{}-{}", parts[0], two_keys ? *bits / 2 : *bits));
    for (const bool decrypts : {false, true}) {
      algorithm.direction = decrypts ? Direction::decrypt : Direction::encrypt;
      Sample sample;
      sample.bytes_per_second = (decrypts ? *decrypt : *encrypt) * mebi;
      sample.line = text.place(at).line;
      insert(run_of(algorithm, "", text.place(at)), sample);
    }
    return 1;
  }
};

}  // namespace

std::unique_ptr<LineReader> bench_slope_reader() { return std::make_unique<BenchSlopeReader>(); }
std::unique_ptr<LineReader> kcapi_reader() { return std::make_unique<KcapiReader>(); }
std::unique_ptr<LineReader> cryptsetup_reader() { return std::make_unique<CryptsetupReader>(); }

}  // namespace aesgate::explain
