#include "fuzz/offered_backends.h"

#include <algorithm>

namespace aesgate {
namespace {

constexpr std::size_t null_length = 255;

class Reader {
 public:
  explicit Reader(ByteView bytes) : rest_(bytes) {}

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{byte()} << 8 * i;
    return value;
  }
  std::optional<std::string> text() {
    const std::size_t length = byte();
    if (length == null_length) return std::nullopt;
    const ByteView bytes = rest_.first(std::min(length, rest_.size()));
    rest_ = rest_.subspan(bytes.size());
    return std::string(bytes.begin(), bytes.end());
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  ByteView rest_;
};

void put_number(Bytes& bytes, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

void put_text(Bytes& bytes, const std::optional<std::string>& text) {
  const std::size_t length = text ? std::min(text->size(), null_length - 1) : null_length;
  bytes.push_back(static_cast<std::uint8_t>(length));
  if (text) bytes.insert(bytes.end(), text->begin(), text->begin() + static_cast<std::ptrdiff_t>(length));
}

const char* pointer(const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; }

int probe(const aesgate_backend* /*self*/, char* /*reason*/, std::size_t /*size*/) { return AESGATE_OK; }
const aesgate_backend* configure(const aesgate_backend* self, const char*, char*, std::size_t) { return self; }
aesgate_update_fn update_for(const aesgate_backend* /*self*/, const aesgate_shape* /*shape*/) { return nullptr; }
std::size_t context_size(const aesgate_backend* /*self*/, const aesgate_shape* /*shape*/) { return 0; }
int start(const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*, const std::uint8_t*) {
  return AESGATE_UNSUPPORTED;
}
int restart(void* /*context*/, const std::uint8_t* /*iv*/) { return AESGATE_UNSUPPORTED; }
int chaining_value(const void* /*context*/, std::uint8_t /*iv*/[16]) { return AESGATE_UNSUPPORTED; }
void finish(void* /*context*/) {}

aesgate_backend struct_of(const OfferedBackend& offered) {
  aesgate_backend made{};
  made.abi_version = offered.abi_version;
  made.struct_size = offered.struct_size;
  made.name = pointer(offered.name);
  made.kind = pointer(offered.kind);
  made.unit = pointer(offered.unit);
  made.description = pointer(offered.description);
  made.context_align = static_cast<std::size_t>(offered.context_align);
  int bit = 0;
  const auto set = [&](auto& member, auto function) {
    if ((offered.functions >> bit++ & 1) != 0) member = function;
  };
  set(made.configure, &configure);
  set(made.probe, &probe);
  set(made.update_for, &update_for);
  set(made.context_size, &context_size);
  set(made.start, &start);
  set(made.restart, &restart);
  set(made.chaining_value, &chaining_value);
  set(made.finish, &finish);
  return made;
}

}  // namespace

std::vector<OfferedBackend> decode_offered(ByteView bytes) {
  Reader reader(bytes);
  std::vector<OfferedBackend> backends;
  while (!reader.at_end()) {
    OfferedBackend backend;
    backend.abi_version = static_cast<std::uint32_t>(reader.number(4));
    backend.struct_size = static_cast<std::uint32_t>(reader.number(4));
    backend.functions = static_cast<std::uint8_t>(reader.number(1));
    backend.context_align = reader.number(8);
    for (auto* text : {&backend.name, &backend.kind, &backend.unit, &backend.description}) *text = reader.text();
    backends.push_back(std::move(backend));
  }
  return backends;
}

Bytes encode_offered(const std::vector<OfferedBackend>& backends) {
  Bytes bytes;
  for (const OfferedBackend& backend : backends) {
    put_number(bytes, backend.abi_version, 4);
    put_number(bytes, backend.struct_size, 4);
    put_number(bytes, backend.functions, 1);
    put_number(bytes, backend.context_align, 8);
    for (const auto* text : {&backend.name, &backend.kind, &backend.unit, &backend.description}) put_text(bytes, *text);
  }
  return bytes;
}

OfferedArray::OfferedArray(std::vector<OfferedBackend> backends) : backends_(std::move(backends)) {
  structs_.reserve(backends_.size());
  for (const OfferedBackend& backend : backends_) pointers_.push_back(&structs_.emplace_back(struct_of(backend)));
  pointers_.push_back(nullptr);
}

}  // namespace aesgate
