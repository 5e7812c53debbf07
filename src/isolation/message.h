#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/case.h"
#include "core/driver.h"
#include "core/execute.h"
#include "core/result.h"

namespace aesgate {

// What a process of this program and its worker say to each other. Both are the same build on the same machine, so
// numbers are eight bytes as they lie in memory; but a worker's memory belongs to the backend under test, so nothing
// that it says is believed: a reader of a broken message gets an Error, and never more memory than the message has.

enum class Request : std::uint8_t {
  list,     // -> what the plugin's backends are
  choose,   // "NAME" or "NAME:OPTIONS" -> what that one is; all that follows is about it
  probe,    // -> can it run here, and which shapes
  execute,  // a Case -> an Outcome
};

/// Description: what probe() and update_for() say.
struct Description {
  std::string why_unavailable;  // empty: it can run here
  std::vector<bool> supported;  // by index(shape)
};

/// MessageWriter: a message, wiped when it is done with, since it may hold a key.
class MessageWriter {
 public:
  MessageWriter() = default;
  ~MessageWriter();
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;

  void number(std::uint64_t value);
  void bytes(ByteView value);
  void text(std::string_view value);
  [[nodiscard]] ByteView message() const { return message_; }

 private:
  void append(const void* data, std::size_t size);
  Bytes message_;
};

/// MessageReader: takes a message apart, which must outlive it. After something that is not there everything reads as
/// zero or empty, and is_whole() is false.
class MessageReader {
 public:
  explicit MessageReader(ByteView message) : rest_(message) {}

  std::uint64_t number();
  Bytes bytes();
  /// Control characters read as "?".
  std::string text();
  /// A number of things that follow, of at least `bytes_each` bytes each.
  std::size_t count(std::size_t bytes_each);

  /// Was everything there, and nothing more?
  [[nodiscard]] bool is_whole() const { return !broken_ && rest_.empty(); }

 private:
  ByteView take(std::size_t size);
  ByteView rest_;
  bool broken_ = false;
};

void write(MessageWriter& writer, const Case& c);
void write(MessageWriter& writer, const Outcome& outcome);
void write(MessageWriter& writer, const std::vector<DrivenInfo>& infos);
void write(MessageWriter& writer, const Description& description);

/// What a backend has no business to know is not sent: backend, origin and expected are empty.
[[nodiscard]] std::optional<Case> read_case(MessageReader& reader);
[[nodiscard]] std::optional<Outcome> read_outcome(MessageReader& reader);
[[nodiscard]] std::optional<std::vector<DrivenInfo>> read_infos(MessageReader& reader);
[[nodiscard]] std::optional<Description> read_description(MessageReader& reader);

}  // namespace aesgate
