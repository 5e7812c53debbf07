#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "emulator/stand_in.h"

namespace aesgate::emulator {

/// SharedState: what the program and its supervisor both see, in memory that fork() does not copy.
struct SharedState {
  enum class Stage : std::uint32_t { begun, ready, filtered, serving, failed };

  // How the supervisor comes to serve: it makes sure that all it needs works (ready); the program installs the filter
  // and says which descriptor its listener is (filtered); the supervisor takes a copy (serving).
  std::atomic<Stage> stage = Stage::begun;
  std::atomic<int> listener = -1;
  std::atomic<int> error = 0;                    // of errno, if it failed
  std::atomic<const char*> failed_at = nullptr;  // a literal, at the same address in both

  std::atomic<std::uint32_t> enabled = 0;  // one bit a StandIn
  std::atomic<Misbehaviour> misbehaviour = Misbehaviour::none;

  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Counted::count)> answered{};
  std::array<std::atomic<std::uint64_t>, 256> ioctls{};
  std::atomic<std::int64_t> objects = 0;
  std::atomic<std::int64_t> sessions = 0;

  [[nodiscard]] bool is_enabled(StandIn stand_in) const {
    return (enabled >> static_cast<unsigned>(stand_in) & 1) != 0;
  }
  [[nodiscard]] bool misbehaves(Misbehaviour how) const { return misbehaviour == how; }
  void count(Counted call) { ++answered[static_cast<std::size_t>(call)]; }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free);

}  // namespace aesgate::emulator
