#pragma once

#include <atomic>
#include <deque>
#include <thread>

#include "core/calls.h"
#include "core/company.h"
#include "core/interruptions.h"

namespace aesgate {

/// Crowd: Conditions::threads. Each thread takes a companion of the Case through its message again and again, and looks
/// at what comes out.
class Crowd {
 public:
  Crowd(const aesgate_backend& backend, const Case& c);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  /// Each companion alone, on this thread; false if that ended the Outcome of `calls`.
  [[nodiscard]] bool rehearse(Calls& calls);

  /// Returns when every thread is at work. An Error if the system has no more threads.
  [[nodiscard]] Result<void> start();

  /// Is any of them still at work? Each ends by itself after some messages.
  [[nodiscard]] bool is_at_work() const { return bystanders_.at_work > 0; }
  [[nodiscard]] const Bystanders& bystanders() const { return bystanders_; }

  /// Returns when all have ended, each after some messages at least. What went wrong on one of them becomes `outcome`.
  void stop(Outcome& outcome);

 private:
  struct Member {
    Member(const aesgate_backend& backend, const Case& c, unsigned number) : companion(backend, c, number) {}
    Companion companion;
    Outcome outcome;
    Calls calls{outcome, nullptr};
    std::thread thread;
  };
  void work(Member& member);
  void join();

  std::deque<Member> members_;
  std::atomic<std::size_t> arrived_{0};
  Bystanders bystanders_;
  std::atomic<bool> stop_{false};
};

}  // namespace aesgate
