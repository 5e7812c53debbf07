#include "core/company.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/splitmix.h"

namespace aesgate {
namespace {

/// Another shape for each number, the Case's own first; one that the backend has.
Shape shape_for(const aesgate_backend& backend, const Shape& first, unsigned number) {
  // 17 has no factor in common with the 36 shapes: another mode, direction and key size each time.
  const Shape& shape = all_shapes()[(index(first) + 17 * number) % shape_count];
  return Session::supports(backend, shape) ? shape : first;
}

std::uint64_t seed_for(const Case& c, unsigned number) {
  std::uint64_t seed = splitmix(c.length + 1) ^ splitmix(number + 1000);
  for (const std::uint8_t byte : c.key.bytes()) seed = splitmix(seed ^ byte);
  return seed;
}

void fill(std::span<std::uint8_t> bytes, std::uint64_t seed) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(splitmix(seed + i / 8) >> 8 * (i % 8));
}

}  // namespace

Companion::Companion(const aesgate_backend& backend, const Case& c, unsigned number)
    : shape_(shape_for(backend, c.shape, number)),
      key_(shape_.key_size),
      seed_(seed_for(c, number)),
      session_(backend, shape_) {
  static constexpr std::array functions{"start", "update", "finish"};
  for (std::size_t i = 0; i < functions.size(); ++i)
    names_[i] = fmt::format("{}() of another context ({})", functions[i], name(shape_));
  fill(key_.bytes(), seed_);
  fill(iv_, seed_ + 100);
}

std::size_t Companion::length_of(std::size_t call) const {
  static constexpr std::array<std::size_t, 4> blocks{16, 48, 16, 144};
  static constexpr std::array<std::size_t, 5> parts{5, 16, 1, 33, 9};
  return is_block_mode(shape_.mode) ? blocks[call % blocks.size()] : parts[call % parts.size()];
}

template <typename Call>
bool Companion::make(Calls& calls, Function function, Status& status, Call& call) {
  std::string& mine = names_[static_cast<std::size_t>(function)];
  std::string& current = calls.outcome().call;
  session_.watch(&calls.watch());
  std::swap(current, mine);
  const bool returned = calls.make(call);
  if (returned && status == Status::ok) {
    std::swap(current, mine);
    return true;
  }
  // From here on it is the Outcome's; a finish() may still come.
  mine = current;
  if (returned) calls.outcome().status = status;
  return false;
}

bool Companion::start(Calls& calls) {
  Status status = Status::ok;
  auto call = [&] { status = session_.start(key_.bytes().data(), has_iv(shape_.mode) ? iv_.data() : nullptr); };
  at_ = 0;
  started_ = true;
  return make(calls, Function::start, status, call);
}

bool Companion::make_update(Calls& calls, Bytes& output) {
  const std::size_t length = length_of(at_);
  Bytes input(bytes_for(shape_.mode, length));
  fill(input, seed_ + 200 + 100 * at_);
  output.assign(input.size(), 0);
  Status status = Status::ok;
  auto call = [&] { status = session_.update(input.data(), output.data(), length); };
  ++at_;
  return make(calls, Function::update, status, call);
}

bool Companion::update(Calls& calls) {
  if (!started_ || done()) return true;
  const Bytes& expected = expected_[at_];
  Bytes output;
  if (!make_update(calls, output)) return false;
  const auto [e, o] = std::ranges::mismatch(expected, output);
  if (e != expected.end() && calls.outcome().damage.size() < 8)
    calls.outcome().damage.push_back({fmt::format("output of another context ({})", name(shape_)), e - expected.begin(),
                                      *e, *o, calls.outcome().call});
  return true;
}

bool Companion::finish(Calls& calls) {
  if (!std::exchange(started_, false)) return true;
  Status status = Status::ok;
  auto call = [&] { session_.finish(); };
  return make(calls, Function::finish, status, call);
}

bool Companion::rehearse(Calls& calls, std::size_t count) {
  expected_.clear();
  bool goes_on = start(calls);
  for (std::size_t i = 0; goes_on && i < count; ++i) goes_on = make_update(calls, expected_.emplace_back());
  if (goes_on) return finish(calls);
  abandon_or_finish(calls);
  return false;
}

void Companion::abandon_or_finish(Calls& calls) {
  if (calls.outcome().crash) return abandon();
  Outcome& outcome = calls.outcome();
  const Status status = outcome.status;
  const std::string call = outcome.call;
  if (!finish(calls)) return abandon();
  outcome.status = status;
  outcome.call = call;
}

void Companion::abandon() {
  session_.abandon();
  started_ = false;
}

Company::Company(const aesgate_backend& backend, const Case& c)
    : calls_(1 + std::max(c.monte_carlo_steps, c.chunks.size())) {
  for (unsigned number = 0; number < c.conditions.company; ++number)
    companions_.push_back(std::make_unique<Companion>(backend, c, number));
}

bool Company::before(Calls& calls) {
  for (const auto& companion : companions_)
    if (!companion->rehearse(calls, calls_ + 1)) return false;
  for (std::size_t i = 0; i < companions_.size(); ++i)
    if (i % 3 != 2 && !companions_[i]->start(calls)) return false;
  return true;
}

bool Company::between(Calls& calls) {
  const std::size_t call = at_++;
  for (std::size_t i = 0; i < companions_.size(); ++i) {
    Companion& companion = *companions_[i];
    if (call == 0 && i % 3 == 2 && !companion.start(calls)) return false;
    if (!companion.update(calls)) return false;
    // Every second one, each at another place.
    const bool leaves = i % 2 == 1 && call + 1 == std::max<std::size_t>(1, i * calls_ / (companions_.size() + 1));
    if (leaves && !companion.finish(calls)) return false;
  }
  return true;
}

void Company::after(Calls& calls) {
  for (const auto& companion : companions_) {
    const Outcome& outcome = calls.outcome();
    if (!outcome.crash && outcome.status == Status::ok) static_cast<void>(companion->update(calls));
    companion->abandon_or_finish(calls);
  }
}

}  // namespace aesgate
