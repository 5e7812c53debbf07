#include "core/execute.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/driver.h"
#include "core/guarded_buffer.h"
#include "core/message.h"
#include "core/session.h"

namespace aesgate {
namespace {

/// How far from a chunk each call is looked at; the end of the Case looks at everything.
constexpr std::size_t near_by = 64;

/// More is no context but a mistake, such as -1.
constexpr std::size_t largest_context = std::size_t{64} << 20;

/// The memory of one thread's Cases.
struct Arena {
  GuardedBuffer input, output, key, iv, context;

  struct Named {
    const char* name;
    GuardedBuffer& buffer;
  };
  std::array<Named, 5> all() {
    return {{{"input", input}, {"output", output}, {"key", key}, {"IV", iv}, {"context", context}}};
  }
};

Arena& this_threads_arena() {
  thread_local Arena arena;
  return arena;
}

/// Copies `count` bits from bit `from` of `source` to the front of `target`, whose other bits stay.
void copy_bits(std::span<std::uint8_t> target, std::size_t target_from, ByteView source, std::size_t from,
               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) set_bit(target, target_from + i, get_bit(source, from + i));
}

class Execution {
 public:
  Execution(const aesgate_backend& backend, const Case& c, CallNote* note) : backend_(backend), case_(c), note_(note) {}

  Outcome run() {
    if (!probe() || !prepare()) return std::move(outcome_);
    if (start()) {
      case_.monte_carlo_steps > 0 ? run_monte_carlo() : run_chunks();
    }
    if (!outcome_.crash) finish();
    if (outcome_.crash) session_->abandon();
    clean_up();
    return std::move(outcome_);
  }

 private:
  bool probe() {
    outcome_.call = "probe()";
    std::array<char, 512> reason{};
    int status = AESGATE_OK;
    auto call = [&] { status = backend_.probe(&backend_, reason.data(), reason.size()); };
    if (!trapped(call)) return false;
    reason.back() = '\0';
    if (status != AESGATE_OK) {
      outcome_.status = Status{status};
      outcome_.reason = reason.data();
      return false;
    }
    bool supported = false;
    outcome_.call = "update_for()";
    auto ask = [&] { supported = Session::supports(backend_, case_.shape); };
    if (!trapped(ask)) return false;
    if (!supported) outcome_.status = Status::unsupported;
    outcome_.accepted = supported;
    return supported;
  }

  /// The context and the buffers; false if the backend wants a context that cannot be.
  bool prepare() {
    outcome_.call = "context_size()";
    std::size_t size = 0;
    auto ask = [&] { size = Session::context_size(backend_, case_.shape); };
    if (!trapped(ask)) return false;
    if (size > largest_context) {
      outcome_.status = Status::failed;
      outcome_.reason = fmt::format("it said {} bytes; at most {} are believed", size, largest_context);
      return false;
    }
    arena_.context.place_aligned(size, std::max<std::size_t>(backend_.context_align, 1), case_.placement.context);
    outcome_.call = "update_for()";
    auto make = [&] { session_.emplace(backend_, case_.shape, arena_.context.placed()); };
    if (!trapped(make)) return false;
    const Placement& placement = case_.placement;
    std::ranges::fill(arena_.context.placed(), dirt());
    std::ranges::copy(case_.key.bytes(), arena_.key.place(case_.key.bytes().size(), placement.key).begin());
    if (has_iv(case_.shape.mode)) std::ranges::copy(case_.iv, arena_.iv.place(case_.iv.size(), placement.iv).begin());
    arena_.input.place(case_.input.size(), placement.input);
    if (!placement.in_place) arena_.output.place(case_.input.size(), placement.output);
    outcome_.output.reserve(bytes_for(case_.shape.mode, case_.output_length()));
    return true;
  }

  /// What a context's memory holds before start(): not the same in all Cases, since what is wrong with one value may
  /// be harmless with another; and always the same in one Case.
  [[nodiscard]] std::uint8_t dirt() const {
    static constexpr std::array<std::uint8_t, 4> values{poison, 0x00, 0xff, 0x5a};
    return values[(case_.length + case_.key.bytes()[0]) % values.size()];
  }

  bool start() {
    outcome_.call = "start()";
    Status status = Status::ok;
    const std::uint8_t* iv = has_iv(case_.shape.mode) ? arena_.iv.placed().data() : nullptr;
    auto call = [&] { status = session_->start(arena_.key.placed().data(), iv); };
    if (!trapped(call)) return false;
    expect_unchanged("key", case_.key.bytes(), arena_.key.placed());
    std::ranges::fill(arena_.key.placed(), poison);
    if (iv != nullptr) {
      expect_unchanged("IV", case_.iv, arena_.iv.placed());
      std::ranges::fill(arena_.iv.placed(), poison);
    }
    return ended_well(status) && ask_chaining_value(0);
  }

  void run_chunks() {
    std::size_t at = 0;
    for (std::size_t i = 0; i < case_.chunks.size(); ++i) {
      const std::size_t chunk = case_.chunks[i];
      outcome_.call = fmt::format("update() {}, of {} at {}", i + 1, chunk, at);
      if (!takes_length(case_.shape.mode, chunk)) {
        if (!probe_refusal(chunk, at)) return;
        continue;
      }
      // CFB1 packs every call from bit 7 of its first byte, whatever came before.
      const std::size_t first_byte = bytes_for(case_.shape.mode, at) - (case_.shape.mode == Mode::cfb1 && at % 8 != 0);
      const std::size_t bytes = bytes_for(case_.shape.mode, chunk);
      Bytes data(bytes, poison);
      if (case_.shape.mode == Mode::cfb1)
        copy_bits(data, 0, case_.input, at, chunk);
      else
        std::ranges::copy(ByteView(case_.input).subspan(at, bytes), data.begin());
      if (!update(data, first_byte, chunk, at)) return;
      at += chunk;
      if (!ask_chaining_value(at)) return;
    }
  }

  void run_monte_carlo() {
    const std::size_t units = segment_units(case_.shape.mode);
    Bytes data(case_.input.size(), poison);
    for (std::size_t step = 0; step < case_.monte_carlo_steps; ++step) {
      outcome_.call = fmt::format("update() {}, a Monte Carlo step", step + 1);
      feed_back(case_, step, outcome_.output, data);
      if (!update(data, 0, units, step * units)) return;
    }
    ask_chaining_value(case_.output_length());
  }

  /// One call of update() with `data`, which stands for the `length` units at `at`, `first_byte` bytes
  /// into the buffers; and all that must hold after it.
  bool update(const Bytes& data, std::size_t first_byte, std::size_t length, std::size_t at) {
    const std::span<std::uint8_t> in = arena_.input.placed().subspan(first_byte, data.size());
    const std::span<std::uint8_t> out =
        case_.placement.in_place ? in : arena_.output.placed().subspan(first_byte, data.size());
    std::ranges::copy(data, in.begin());
    Status status = Status::ok;
    // A length of 0 allows null pointers; every second such call has them.
    const bool null = length == 0 && ++empty_calls_ % 2 == 0;
    auto call = [&] { status = session_->update(null ? nullptr : in.data(), null ? nullptr : out.data(), length); };
    if (!trapped(call)) return false;
    if (!case_.placement.in_place) expect_unchanged("input", data, in);
    if (!ended_well(status)) return false;
    take_output(out, data, length, at);
    std::ranges::fill(in, poison);
    std::ranges::fill(out, poison);
    expect_poison_around(first_byte, data.size());
    return true;
  }

  void take_output(std::span<const std::uint8_t> out, const Bytes& in, std::size_t length, std::size_t at) {
    Bytes& output = outcome_.output;
    if (case_.shape.mode != Mode::cfb1) {
      output.insert(output.end(), out.begin(), out.end());
      return;
    }
    output.resize(bytes_for(case_.shape.mode, at + length));
    copy_bits(output, at, out, 0, length);
    // "output bits past it are left as they were": in place, that is the input.
    for (std::size_t bit = length; bit < 8 * out.size(); ++bit) {
      const bool before = case_.placement.in_place ? get_bit(in, bit) : get_bit(std::array{poison}, bit % 8);
      if (get_bit(out, bit) == before) continue;
      add_damage("bits of the output past the length", static_cast<std::ptrdiff_t>(bit / 8),
                 static_cast<std::uint8_t>(before), static_cast<std::uint8_t>(!before));
      return;
    }
  }

  /// A call with a length that the mode cannot take.
  bool probe_refusal(std::size_t length, std::size_t at) {
    const std::span<std::uint8_t> in = arena_.input.placed().subspan(at);
    const std::span<std::uint8_t> out = case_.placement.in_place ? in : arena_.output.placed().subspan(at);
    Status status = Status::ok;
    auto call = [&] { status = session_->update(in.data(), out.data(), length); };
    if (!trapped(call)) return false;
    if (status != Status::bad_argument) {
      outcome_.status = Status::failed;
      outcome_.reason = fmt::format("it should refuse this length as a bad argument, and said {}", name(status));
      return false;
    }
    if (find_non_poison(in) || find_non_poison(out)) {
      add_damage("data of a refused call",
                 static_cast<std::ptrdiff_t>(find_non_poison(in).value_or(find_non_poison(out).value_or(0))), poison,
                 0);
      std::ranges::fill(in, poison);
      std::ranges::fill(out, poison);
    }
    return ask_chaining_value(at);
  }

  bool ask_chaining_value(std::size_t position) {
    if (!session_->tells_chaining_value()) return true;
    ChainingValue said{position, Status::ok, {}};
    said.value.fill(poison);
    auto call = [&] { said.status = session_->chaining_value(said.value.data()); };
    if (!trapped(call, "chaining_value()")) return false;
    outcome_.chaining_values.push_back(said);
    return true;
  }

  void finish() {
    const std::string before = std::exchange(outcome_.call, "finish()");
    auto call = [&] { session_->finish(); };
    if (trapped(call) && outcome_.status != Status::ok) outcome_.call = before;
  }

  /// Nothing but the context was written to, and that only where it is.
  void clean_up() {
    std::ranges::fill(arena_.context.placed(), poison);
    if (outcome_.crash) {
      for (auto& [name, buffer] : arena_.all()) buffer.reset();
      return;
    }
    for (auto& [name, buffer] : arena_.all()) {
      std::ranges::fill(buffer.placed(), poison);
      if (const auto offset = buffer.damage()) {
        add_damage(fmt::format("memory beside the {}", name), *offset, poison, buffer.placed().data()[*offset]);
        buffer.reset();
      }
    }
  }

  void expect_poison_around(std::size_t first_byte, std::size_t size) {
    for (auto& [name, buffer] : arena_.all()) {
      if (&buffer != &arena_.input && &buffer != &arena_.output) continue;
      if (case_.placement.in_place && &buffer == &arena_.output) continue;
      const std::span<const std::uint8_t> placed = buffer.placed();
      const std::size_t from = first_byte - std::min(first_byte, near_by);
      const std::size_t to = std::min(placed.size(), first_byte + size + near_by);
      if (const auto bad = find_non_poison(placed.subspan(from, to - from))) {
        const auto offset = static_cast<std::ptrdiff_t>(from + *bad);
        add_damage(fmt::format("{} outside the range of the call", name), offset, poison, placed[from + *bad]);
      }
    }
  }

  void expect_unchanged(const char* what, ByteView before, std::span<const std::uint8_t> after) {
    const auto [b, a] = std::ranges::mismatch(before, after);
    if (b != before.end()) add_damage(what, b - before.begin(), *b, *a);
  }

  void add_damage(std::string what, std::ptrdiff_t offset, std::uint8_t expected, std::uint8_t found) {
    if (outcome_.damage.size() < 8)
      outcome_.damage.push_back({std::move(what), offset, expected, found, outcome_.call});
  }

  bool ended_well(Status status) {
    outcome_.status = status;
    return status == Status::ok;
  }

  /// Makes a call; `extra` is its name where it is not outcome_.call, but made after that.
  template <typename Call>
  bool trapped(Call& call, const char* extra = nullptr) {
    if (note_ != nullptr)
      note_->enter(extra == nullptr ? outcome_.call : fmt::format("{} after {}", extra, outcome_.call));
    outcome_.crash = run_trapped(call);
    if (note_ != nullptr) note_->leave();
    if (!outcome_.crash) return true;
    if (extra != nullptr) outcome_.call = fmt::format("{} after {}", extra, outcome_.call);
    outcome_.status = Status::failed;
    for (const auto& [name, buffer] : arena_.all()) {
      const auto offset = buffer.offset_of(outcome_.crash->address);
      if (!offset) continue;
      const auto past = *offset - static_cast<std::ptrdiff_t>(buffer.placed().size());
      outcome_.crash_place = past >= 0 ? fmt::format("{} bytes past the end of the {}", past + 1, name)
                                       : fmt::format("at byte {} of the {}", *offset, name);
    }
    return false;
  }

  const aesgate_backend& backend_;
  const Case& case_;
  Arena& arena_ = this_threads_arena();
  CallNote* note_;
  std::optional<Session> session_;
  unsigned empty_calls_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome execute(const aesgate_backend& backend, const Case& c) {
  if (Driver* const driver = driver_of(backend)) return driver->execute(c);
  return execute_here(backend, c, nullptr);
}

Outcome execute_here(const aesgate_backend& backend, const Case& c, CallNote* note) {
  return Execution(backend, c, note).run();
}

}  // namespace aesgate
