#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "witness/step.h"

namespace aesgate::witness {

/// SharedTrace: the instructions of a stepped child and the memory that they touched, in memory that it shares.
class SharedTrace {
 public:
  /// For up to `max_steps` instructions. Throws std::bad_alloc.
  explicit SharedTrace(std::size_t max_steps);
  ~SharedTrace();
  SharedTrace(const SharedTrace&) = delete;
  SharedTrace& operator=(const SharedTrace&) = delete;

  /// Takes a step, in the child. False, and nothing is taken, if it is one too many or cannot be decoded.
  [[nodiscard]] bool add(const Step& step);

  void clear();

  /// An instruction's address with `instruction_mark`, then those of the memory that it touches; and so on.
  [[nodiscard]] std::span<const std::uint64_t> entries() const;
  static constexpr std::uint64_t instruction_mark = std::uint64_t{1} << 63;  // no address in user space has it

  [[nodiscard]] std::size_t steps() const;

  /// The address of an instruction that could not be decoded; 0 if there was none.
  [[nodiscard]] std::uint64_t undecoded() const;

 private:
  struct Head;
  Head* head_;
  std::size_t max_steps_;
  std::size_t max_entries_;
};

/// Difference: the first place where two traces are not the same.
struct Difference {
  enum class Kind {
    address,  // the instruction touched `first` in one and `second` in the other
    way       // after the instruction came `first` in one and `second` in the other; 0: nothing more
  };
  Kind kind;
  std::uint64_t instruction, first, second;
};
[[nodiscard]] std::optional<Difference> first_difference(const SharedTrace& a, const SharedTrace& b);

}  // namespace aesgate::witness
