#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/calls.h"
#include "core/case.h"
#include "core/session.h"

namespace aesgate {

/// Companion: another context of the backend of a Case, under a key and in a shape of its own, with a message that
/// follows from the Case. What comes out when it is alone must come out again in company.
class Companion {
 public:
  /// `number` tells the companions of one Case apart; the first has the Case's own shape.
  Companion(const aesgate_backend& backend, const Case& c, unsigned number);
  ~Companion() { session_.watch(nullptr); }

  /// A message of `calls` calls of update(), alone, to know what comes out. Like the next three, false if that ended
  /// the Outcome of `calls`.
  [[nodiscard]] bool rehearse(Calls& calls, std::size_t count);

  [[nodiscard]] bool start(Calls& calls);
  /// The next call; nothing if the message that was rehearsed has no more. Damage if it gives something else than then.
  [[nodiscard]] bool update(Calls& calls);
  /// Nothing if it is not started.
  [[nodiscard]] bool finish(Calls& calls);

  /// At the end of an Outcome: finish(), which leaves status and call as they are; and nothing after a crash.
  void abandon_or_finish(Calls& calls);

  [[nodiscard]] bool done() const { return at_ == expected_.size(); }

 private:
  void abandon();
  [[nodiscard]] bool make_update(Calls& calls, Bytes& output);
  [[nodiscard]] std::size_t length_of(std::size_t call) const;
  /// Makes a call under the name "FUNCTION() of another context (SHAPE)", and leaves outcome.call as it was unless that
  /// fails. A name is made once: there are hundreds of thousands of calls.
  enum class Function : std::uint8_t { start, update, finish };
  template <typename Call>
  [[nodiscard]] bool make(Calls& calls, Function function, Status& status, Call& call);

  Shape shape_;
  Key key_;
  Block iv_{};
  std::uint64_t seed_;
  Session session_;
  std::array<std::string, 3> names_;  // by Function
  bool started_ = false;
  std::size_t at_ = 0;  // calls made since start()
  std::vector<Bytes> expected_;
};

/// Company: the companions of one Case (Conditions::company), to be called around and between its calls.
class Company {
 public:
  Company(const aesgate_backend& backend, const Case& c);

  // The first two: false if that ended the Outcome of `calls`.

  /// Before the Case's start(): most of them start.
  [[nodiscard]] bool before(Calls& calls);
  /// After each of its calls but finish(): the others start; each makes its next call; some finish on the way.
  [[nodiscard]] bool between(Calls& calls);
  /// After its finish(), or a crash, in any case: those that are left make one more call and finish.
  void after(Calls& calls);

 private:
  std::vector<std::unique_ptr<Companion>> companions_;
  std::size_t calls_;   // how often between() is called
  std::size_t at_ = 0;  // how often it was
};

}  // namespace aesgate
