#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace aesgate::acvp {

/// Source: the text of a JSON file, as often as it is asked for, in memory that does not grow with it. One string or
/// number of more than max_token bytes ends it with an Error: a parser must hold such a thing whole.
class Source : public std::streambuf {
 public:
  /// The longest message of the AES vector sets has 65,536 bits.
  static constexpr std::size_t max_token = 16u << 20;

  /// An Error unless it is a regular file, which can be read several times.
  [[nodiscard]] static Result<std::unique_ptr<Source>> open(const std::filesystem::path& path);

  /// Reads `text`, which must outlive the Source; `name` stands for the file in errors.
  [[nodiscard]] static std::unique_ptr<Source> from(std::string_view text, std::string name);

  ~Source() override;

  /// Back to the first byte.
  [[nodiscard]] Result<void> rewind();

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Why the text ended where it did, if that is not its end.
  [[nodiscard]] const std::optional<Error>& broken() const { return broken_; }
  [[nodiscard]] bool is_empty() const { return bytes_ == 0; }

 protected:
  int_type underflow() override;

 private:
  explicit Source(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::string_view read();
  /// False if a token in the text, or begun before it, is too long.
  bool tokens_fit(std::string_view text);

  std::string name_;
  int descriptor_ = -1;    // below 0: the text is all there is
  std::string_view text_;  // in that case
  std::vector<char> buffer_;
  std::optional<Error> broken_;
  std::uint64_t bytes_ = 0;  // read since rewind()
  // The token that the text read so far ends in.
  std::size_t token_bytes_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}  // namespace aesgate::acvp
