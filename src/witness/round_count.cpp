#include "witness/round_count.h"

namespace aesgate::witness {

std::optional<Rounds> RoundCount::add(const AesOpcode& opcode) {
  if (opcode.operation == AesOperation::last_round) {
    in_group_ = true;
    lasts_ += opcode.lanes;
    return std::nullopt;
  }
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
