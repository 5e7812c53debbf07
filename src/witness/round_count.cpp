#include "witness/round_count.h"

namespace aesgate::witness {

namespace {

/// Of a block's rounds before the last, AES-256 has 13. A sample begins anywhere in a pass, but what has fewer than 4
/// has them by chance, or is not AES.
constexpr unsigned least_rounds = 4, most_rounds = 13;

}  // namespace

std::optional<Rounds> RoundCount::add(const AesOpcode& opcode) {
  if (opcode.operation == AesOperation::last_round) {
    in_group_ = true;
    lasts_ += opcode.lanes;
    saw_cipher_ |= rounds_ >= least_rounds * lasts_ && rounds_ <= most_rounds * lasts_;
    return std::nullopt;
  }
  // These do all of a block's rounds.
  saw_cipher_ |= opcode.operation == AesOperation::xcrypt || opcode.operation == AesOperation::key_locker;
  if (opcode.operation != AesOperation::round) return std::nullopt;
  std::optional<Rounds> found;
  if (in_group_) {
    found = close();
    whole_ = true;
    in_group_ = false;
    rounds_ = lasts_ = 0;
  }
  rounds_ += opcode.lanes;
  return found;
}

std::optional<Rounds> RoundCount::close() const {
  // Last rounds without rounds are a key schedule's, which uses them for SubBytes.
  if (!whole_ || rounds_ % lasts_ != 0) return std::nullopt;
  const unsigned count = rounds_ / lasts_ + 1;
  if (count != 10 && count != 12 && count != 14) return std::nullopt;
  return Rounds{count, lasts_};
}

}  // namespace aesgate::witness
