#include "props/constant_time/message.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace aesgate::constant_time {
namespace {

bool is_parallel(const Shape& shape) {
  return shape.mode == Mode::ecb || (shape.mode != Mode::ofb && shape.direction == Direction::decrypt);
}

/// Each call begins at a byte of its own.
std::size_t bytes_of(const Shape& shape, const std::vector<std::size_t>& calls) {
  return std::accumulate(calls.begin(), calls.end(), std::size_t{0},
                         [&](std::size_t sum, std::size_t length) { return sum + bytes_for(shape.mode, length); });
}

void fill(std::span<std::uint8_t> bytes, std::mt19937_64& random, std::size_t number) {
  for (std::uint8_t& byte : bytes)
    byte = number == 0 ? 0 : number == 1 ? 0xff : static_cast<std::uint8_t>(random() & 0xff);
}

}  // namespace

std::vector<std::size_t> short_calls(const Shape& shape) {
  switch (shape.mode) {
    case Mode::ecb:
    case Mode::cbc: return {16, 32};
    case Mode::cfb128:
    case Mode::ofb: return {5, 27, 16};
    case Mode::cfb8: return {1, 2};
    case Mode::cfb1: return {1, 2};
  }
  return {};
}

std::vector<std::size_t> long_calls(const Shape& shape) {
  if (!is_parallel(shape)) return {};
  switch (shape.mode) {
    case Mode::ecb:
    case Mode::cbc: return {7 * 16, 135 * 16};
    case Mode::cfb128: return {3, 13 + 7 * 16, 135 * 16 + 9};
    case Mode::cfb8: return {23, 135};
    case Mode::cfb1: return {23, 135};
    case Mode::ofb: break;
  }
  return {};
}

Secrets make_secrets(const Shape& shape, std::size_t text_bytes, std::uint64_t seed, std::size_t number) {
  std::mt19937_64 random(seed * 1'000'003 + number);
  Secrets secrets{Key(shape.key_size), Bytes(text_bytes)};
  fill(secrets.key.bytes(), random, number);
  fill(secrets.text, random, number);
  return secrets;
}

Message::Message(const aesgate_backend& backend, const Shape& shape, std::vector<std::size_t> calls)
    : shape_(shape),
      calls_(std::move(calls)),
      key_(shape.key_size),
      text_(bytes_of(shape, calls_)),
      output_(text_.size()),
      session_(backend, shape) {
  std::iota(iv_.begin(), iv_.end(), std::uint8_t{0xf0});
}

void Message::set(const Secrets& secrets) {
  std::ranges::copy(secrets.key.bytes(), key_.bytes().begin());
  std::ranges::copy(secrets.text, text_.begin());
}

Status Message::run() {
  const Status started = session_.start(std::as_const(key_).bytes().data(), iv());
  const Status status = started == Status::ok ? update_all() : started;
  session_.finish();
  return status;
}

Status Message::update_all() {
  std::size_t at = 0;
  for (const std::size_t length : calls_) {
    const Status status = session_.update(text_.data() + at, output_.data() + at, length);
    if (status != Status::ok) return status;
    at += bytes_for(shape_.mode, length);
  }
  (void)session_.chaining_value(chaining_value_.data());  // "unsupported" is an answer, too
  return session_.restart(std::as_const(key_).bytes().data(), iv());
}

}  // namespace aesgate::constant_time
