#include "isolation/message.h"

#include <algorithm>
#include <cstring>

#include "core/secret.h"

namespace aesgate {

MessageWriter::~MessageWriter() { wipe(message_.data(), message_.size()); }

void MessageWriter::append(const void* data, std::size_t size) {
  if (size == 0) return;
  if (message_.capacity() - message_.size() < size) {
    // Not by the vector itself, which would leave a copy behind.
    Bytes larger;
    larger.reserve(2 * (message_.size() + size) + 512);
    larger.assign(message_.begin(), message_.end());
    wipe(message_.data(), message_.size());
    message_ = std::move(larger);
  }
  const auto* first = static_cast<const std::uint8_t*>(data);
  message_.insert(message_.end(), first, first + size);
}

void MessageWriter::number(std::uint64_t value) { append(&value, sizeof value); }

void MessageWriter::bytes(ByteView value) {
  number(value.size());
  append(value.data(), value.size());
}

void MessageWriter::text(std::string_view value) {
  number(value.size());
  append(value.data(), value.size());
}

ByteView MessageReader::take(std::size_t size) {
  if (broken_ || size > rest_.size()) {
    broken_ = true;
    rest_ = {};
    return {};
  }
  const ByteView taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}

std::uint64_t MessageReader::number() {
  std::uint64_t value = 0;
  if (const ByteView taken = take(sizeof value); !taken.empty()) std::memcpy(&value, taken.data(), sizeof value);
  return value;
}

Bytes MessageReader::bytes() {
  const ByteView taken = take(number());
  return {taken.begin(), taken.end()};
}

std::string MessageReader::text() {
  const ByteView taken = take(number());
  std::string text(taken.begin(), taken.end());
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = '?';
  return text;
}

std::size_t MessageReader::count(std::size_t bytes_each) {
  const std::uint64_t count = number();
  if (count > rest_.size() / bytes_each) broken_ = true;
  return broken_ ? 0 : count;
}

namespace {

void write(MessageWriter& writer, const Spot& spot) {
  writer.number(std::uint64_t{spot.distance} << 1 | (spot.edge == Spot::Edge::end));
}

Spot read_spot(MessageReader& reader) {
  const std::uint64_t value = reader.number();
  return {(value & 1) != 0 ? Spot::Edge::end : Spot::Edge::start, static_cast<std::uint16_t>(value >> 1)};
}

void write(MessageWriter& writer, const Conditions& conditions) {
  writer.number(static_cast<std::uint64_t>(conditions.memory));
  writer.number(conditions.company);
  writer.number(conditions.threads);
  writer.number(conditions.timer);
  writer.number(conditions.migration);
}

Conditions read_conditions(MessageReader& reader) {
  Conditions conditions;
  conditions.memory = static_cast<Conditions::Memory>(reader.number() & 3);
  conditions.company = static_cast<std::uint8_t>(reader.number());
  conditions.threads = static_cast<std::uint8_t>(reader.number());
  conditions.timer = reader.number() != 0;
  conditions.migration = reader.number() != 0;
  return conditions;
}

Block read_block(MessageReader& reader) {
  Block block{};
  const Bytes bytes = reader.bytes();
  std::copy_n(bytes.begin(), std::min(bytes.size(), block.size()), block.begin());
  return block;
}

}  // namespace

void write(MessageWriter& writer, const Case& c) {
  writer.number(index(c.shape));
  writer.bytes(c.key.bytes());
  writer.bytes(c.iv);
  writer.bytes(c.input);
  writer.number(c.length);
  writer.number(c.chunks.size());
  for (const std::size_t chunk : c.chunks) writer.number(chunk);
  writer.number(c.placement.in_place);
  for (const Spot* spot :
       {&c.placement.input, &c.placement.output, &c.placement.key, &c.placement.iv, &c.placement.context})
    write(writer, *spot);
  write(writer, c.conditions);
  writer.number(c.monte_carlo_steps);
  writer.number(c.repeated_to);
}

std::optional<Case> read_case(MessageReader& reader) {
  Case c;
  const std::uint64_t shape = reader.number();
  if (shape >= shape_count) return std::nullopt;
  c.shape = all_shapes()[shape];
  Bytes key = reader.bytes();
  auto parsed = Key::from(key);
  wipe(key.data(), key.size());
  if (!parsed) return std::nullopt;
  c.key = std::move(*parsed);
  c.iv = read_block(reader);
  c.input = reader.bytes();
  c.length = reader.number();
  c.chunks.resize(reader.count(8));
  for (std::size_t& chunk : c.chunks) chunk = reader.number();
  c.placement.in_place = reader.number() != 0;
  for (Spot* spot : {&c.placement.input, &c.placement.output, &c.placement.key, &c.placement.iv, &c.placement.context})
    *spot = read_spot(reader);
  c.conditions = read_conditions(reader);
  c.monte_carlo_steps = reader.number();
  c.repeated_to = reader.number();
  if (!reader.is_whole() || !c.validate()) return std::nullopt;
  return c;
}

void write(MessageWriter& writer, const Outcome& outcome) {
  writer.number(static_cast<std::uint64_t>(outcome.status));
  writer.text(outcome.call);
  writer.number(outcome.accepted);
  writer.text(outcome.reason);
  writer.number(outcome.crash.has_value());
  const Crash crash = outcome.crash.value_or(Crash{});
  writer.number(static_cast<std::uint64_t>(crash.signal));
  writer.number(static_cast<std::uint64_t>(crash.access));
  writer.text(crash.exception);
  writer.text(outcome.crash_place);
  writer.bytes(outcome.output);
  writer.number(outcome.chaining_values.size());
  for (const ChainingValue& said : outcome.chaining_values) {
    writer.number(said.position);
    writer.number(static_cast<std::uint64_t>(said.status));
    writer.bytes(said.value);
  }
  writer.number(outcome.damage.size());
  for (const Damage& damage : outcome.damage) {
    writer.text(damage.what);
    writer.number(static_cast<std::uint64_t>(damage.offset));
    writer.number(damage.expected);
    writer.number(damage.found);
    writer.text(damage.call);
  }
  writer.number(outcome.breaches.size());
  for (const Breach& breach : outcome.breaches)
    for (const std::string* text : {&breach.what, &breach.call, &breach.detail}) writer.text(*text);
  for (const std::string& warning : outcome.warnings) writer.text(warning);
  writer.number(outcome.cut_short.has_value());
  writer.number(static_cast<std::uint64_t>(outcome.time_taken.count()));
}

/// A Case has ten seconds; what says more adds up to nonsense.
constexpr std::uint64_t most_time_taken = 10'000'000'000;

std::optional<Outcome> read_outcome(MessageReader& reader) {
  Outcome outcome;
  outcome.status = Status{static_cast<int>(reader.number())};
  outcome.call = reader.text();
  outcome.accepted = reader.number() != 0;
  outcome.reason = reader.text();
  const bool crashed = reader.number() != 0;
  Crash crash;
  crash.signal = static_cast<int>(reader.number());
  const std::uint64_t access = reader.number();
  if (access <= static_cast<std::uint64_t>(Crash::Access::write)) crash.access = static_cast<Crash::Access>(access);
  crash.exception = reader.text();
  if (crashed) outcome.crash = std::move(crash);
  outcome.crash_place = reader.text();
  outcome.output = reader.bytes();
  outcome.chaining_values.resize(reader.count(3 * 8 + block_bytes));
  for (ChainingValue& said : outcome.chaining_values) {
    said.position = reader.number();
    said.status = Status{static_cast<int>(reader.number())};
    said.value = read_block(reader);
  }
  outcome.damage.resize(reader.count(5 * 8));
  for (Damage& damage : outcome.damage) {
    damage.what = reader.text();
    damage.offset = static_cast<std::ptrdiff_t>(reader.number());
    damage.expected = static_cast<std::uint8_t>(reader.number());
    damage.found = static_cast<std::uint8_t>(reader.number());
    damage.call = reader.text();
  }
  outcome.breaches.resize(reader.count(3 * 8));
  for (Breach& breach : outcome.breaches)
    for (std::string* text : {&breach.what, &breach.call, &breach.detail}) *text = reader.text();
  for (std::string& warning : outcome.warnings) warning = reader.text();
  // The only verdict that a worker may come to.
  if (reader.number() != 0) outcome.cut_short = Verdict::declined;
  outcome.time_taken = std::chrono::nanoseconds(std::min<std::uint64_t>(reader.number(), most_time_taken));
  if (!reader.is_whole()) return std::nullopt;
  return outcome;
}

void write(MessageWriter& writer, const std::vector<DrivenInfo>& infos) {
  writer.number(infos.size());
  for (const DrivenInfo& info : infos) {
    for (const std::string* text : {&info.name, &info.kind, &info.unit, &info.description}) writer.text(*text);
    writer.number(info.takes_options);
  }
}

std::optional<std::vector<DrivenInfo>> read_infos(MessageReader& reader) {
  std::vector<DrivenInfo> infos(reader.count(5 * 8));
  for (DrivenInfo& info : infos) {
    for (std::string* text : {&info.name, &info.kind, &info.unit, &info.description}) *text = reader.text();
    info.takes_options = reader.number() != 0;
  }
  if (!reader.is_whole()) return std::nullopt;
  return infos;
}

void write(MessageWriter& writer, const Description& description) {
  writer.text(description.why_unavailable);
  for (std::size_t i = 0; i < shape_count; ++i) writer.number(description.supported[i]);
}

std::optional<Description> read_description(MessageReader& reader) {
  Description description{reader.text(), std::vector<bool>(shape_count)};
  for (std::size_t i = 0; i < shape_count; ++i) description.supported[i] = reader.number() != 0;
  if (!reader.is_whole()) return std::nullopt;
  return description;
}

}  // namespace aesgate
