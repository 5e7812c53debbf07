#include "core/session.h"

#include <algorithm>
#include <new>

#include "core/secret.h"

namespace aesgate {

void Session::Release::operator()(std::uint8_t* memory) const {
  wipe(memory, size);
  ::operator delete(memory, std::align_val_t(align));
}

Session::Session(const aesgate_backend& backend, const Shape& shape)
    : backend_(backend), shape_(shape.abi()), update_(backend.update_for(&backend, &shape_)) {
  const std::size_t size = std::max<std::size_t>(context_size(backend, shape), 1);
  const std::size_t align = std::max(backend.context_align, alignof(std::max_align_t));
  auto* memory = static_cast<std::uint8_t*>(::operator new(size, std::align_val_t(align)));
  own_ = std::unique_ptr<std::uint8_t, Release>(memory, Release{size, align});
  context_ = memory;
}

Session::Session(const aesgate_backend& backend, const Shape& shape, std::span<std::uint8_t> memory)
    : backend_(backend),
      shape_(shape.abi()),
      update_(backend.update_for(&backend, &shape_)),
      own_(nullptr, Release{0, 1}),
      context_(memory.data()) {}

Session::~Session() { finish(); }

bool Session::supports(const aesgate_backend& backend, const Shape& shape) {
  const aesgate_shape abi = shape.abi();
  return backend.update_for(&backend, &abi) != nullptr;
}

std::size_t Session::context_size(const aesgate_backend& backend, const Shape& shape) {
  const aesgate_shape abi = shape.abi();
  return backend.context_size(&backend, &abi);
}

Status Session::start(const std::uint8_t* key, const std::uint8_t* iv) {
  finish();
  started_ = true;
  return Status{invoke(backend_.start, &backend_, context_, &shape_, key, iv)};
}

Status Session::restart(const std::uint8_t* key, const std::uint8_t* iv) {
  if (started_ && backend_.restart != nullptr) return Status{invoke(backend_.restart, context_, iv)};
  return start(key, iv);
}

Status Session::repeat_update(const std::uint8_t* in, std::uint8_t* out, std::size_t length, std::size_t calls) {
  // All in registers: with a Session that is read between two calls, calls of one block took up to twice as long.
  const aesgate_update_fn call = update_;
  void* const context = context_;
  int status = AESGATE_OK;
  for (; calls != 0 && status == AESGATE_OK; --calls) status = call(context, in, out, length);
  return Status{status};
}

Status Session::repeat_start(const std::uint8_t* key, const std::uint8_t* iv, std::size_t calls) {
  Status status = Status::ok;
  for (; calls != 0 && status == Status::ok; --calls) status = start(key, iv);
  return status;
}

Status Session::chaining_value(std::uint8_t iv[block_bytes]) const {
  if (backend_.chaining_value == nullptr) return Status::unsupported;
  return Status{invoke(backend_.chaining_value, context_, iv)};
}

void Session::finish() {
  if (!started_) return;
  started_ = false;
  invoke(backend_.finish, context_);
}

}  // namespace aesgate
