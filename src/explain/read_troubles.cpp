// Lines that say that something is wrong: of OpenSSL's decryption, of Linux's self-tests (crypto/testmgr.c); and what
// /proc/cpuinfo says of the CPU.

#include <algorithm>

#include "core/text_file.h"
#include "explain/line_reader.h"
#include "explain/words.h"

namespace aesgate::explain {
namespace {

class TroubleReader : public LineReader {
 public:
  Result<std::size_t> take(const Text& text, std::size_t at) override {
    const std::string& line = text.line(at);
    if (line == "bad decrypt" || line.find(":bad decrypt") != std::string::npos ||
        line.find(":wrong final block length") != std::string::npos) {
      // Each failure is said twice: by the command, and by the library's error.
      if (!said_bad_decrypt_) add(Trouble::What::bad_decrypt, text, at);
      said_bad_decrypt_ = true;
      return 1;
    }
    if (take_self_test(text, at) || take_flags(text, at)) return 1;
    return 0;
  }

  void finish(Reading& reading) override {
    reading.troubles.insert(reading.troubles.end(), troubles_.begin(), troubles_.end());
    reading.cpus.insert(reading.cpus.end(), cpus_.begin(), cpus_.end());
  }

 private:
  Trouble& add(Trouble::What what, const Text& text, std::size_t at) {
    Trouble& trouble = troubles_.emplace_back();
    trouble.what = what;
    trouble.place = text.place(at);
    trouble.line = excerpt(text.line(at));
    return trouble;
  }

  /// "alg: skcipher: cbc-aes-foo encryption test failed (wrong result) on test vector 1, cfg="in-place (one sglist)""
  bool take_self_test(const Text& text, std::size_t at) {
    const std::string& line = text.line(at);
    const std::size_t begin = line.find("alg: skcipher");
    if (begin == std::string::npos || line.find("failed", begin) == std::string::npos) return false;
    const bool in_place = mentions(line, "cfg=\"in-place");
    const auto what = mentions(line, "wrong output iv") ? Trouble::What::wrong_chaining_value
                      : in_place                        ? Trouble::What::in_place
                                                        : Trouble::What::wrong_result;
    Trouble& trouble = add(what, text, at);
    trouble.self_test = true;
    trouble.line = line.substr(begin, 160);
    const std::vector<std::string_view> parts = words(std::string_view(line).substr(begin));
    if (parts.size() > 2) trouble.who = parts[2];
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      if (parts[i] == "vector")
        if (const auto number = parse_decimal(parts[i + 1].substr(0, parts[i + 1].find(','))); number && *number < 1e6)
          trouble.vector = static_cast<int>(*number);
    return true;
  }

  bool take_flags(const Text& text, std::size_t at) {
    const std::string& line = text.line(at);
    const std::vector<std::string_view> parts = words(line);
    if (parts.size() < 8 || (parts[0] != "flags" && parts[0] != "flags:")) return false;
    CpuFlags flags{text.place(at)};
    const auto has = [&](std::string_view flag) { return std::ranges::find(parts, flag) != parts.end(); };
    flags.aes = has("aes");
    flags.ssse3 = has("ssse3");
    flags.hypervisor = has("hypervisor");
    // One line a CPU, all the same.
    if (cpus_.empty()) cpus_.push_back(flags);
    return true;
  }

  std::vector<Trouble> troubles_;
  std::vector<CpuFlags> cpus_;
  bool said_bad_decrypt_ = false;
};

}  // namespace

std::unique_ptr<LineReader> trouble_reader() { return std::make_unique<TroubleReader>(); }

}  // namespace aesgate::explain
