#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "core/result.h"
#include "kat/acvp_answer.h"
#include "kat/acvp_prompt.h"

namespace aesgate::acvp {

/// What a file of expected results has, once all of it was read and found well formed: the form of a response, which
/// tells at least the answers, and with them whatever it says of its set must be what `set` says. A test that is there
/// twice is an Error, like all that Prompt refuses of types, digits and syntax.
struct ExpectedFile {
  std::uint64_t tests = 0;
  Unread unread;

  [[nodiscard]] static Result<ExpectedFile> check(Source& source, const SetHead& set);
};

/// ExpectedStream: the expected answers one after the other, in the file's order. A thread of its own reads them, a few
/// ahead: a SAX parser calls and cannot be called, and the prompt's is already there.
class ExpectedStream {
 public:
  /// Both must outlive the stream, and nothing else may use the source meanwhile.
  ExpectedStream(Source& source, const SetHead& set);
  ~ExpectedStream();
  ExpectedStream(const ExpectedStream&) = delete;
  ExpectedStream& operator=(const ExpectedStream&) = delete;

  /// Nothing at the end. The Error is that of a file which changed since it was checked.
  [[nodiscard]] Result<std::optional<TestAnswer>> next();

 private:
  void read(Source& source, const SetHead& set);
  /// False if nobody wants more.
  bool put(TestAnswer answer);

  std::mutex mutex_;  // for all below
  std::condition_variable changed_;
  std::deque<TestAnswer> answers_;
  std::size_t bytes_ = 0;
  bool at_end_ = false, given_up_ = false;
  std::optional<Error> error_;
  std::thread thread_;
};

}  // namespace aesgate::acvp
