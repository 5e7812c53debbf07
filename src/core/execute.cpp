#include "core/execute.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <thread>

#include "core/acceptance.h"
#include "core/allowance.h"
#include "core/arena.h"
#include "core/calls.h"
#include "core/company.h"
#include "core/driver.h"
#include "core/history.h"
#include "core/interruptions.h"
#include "core/leftovers.h"
#include "core/long_message.h"
#include "core/message.h"
#include "core/passes.h"
#include "core/session.h"

namespace aesgate {
namespace {

/// How far from a chunk each call is looked at; the end of the Case looks at everything.
constexpr std::size_t near_by = 64;

constexpr std::size_t most_damage = 8;

/// More is no context but a mistake, such as -1.
constexpr std::size_t largest_context = std::size_t{64} << 20;

/// Copies `count` bits from bit `from` of `source` to the front of `target`, whose other bits stay.
void copy_bits(std::span<std::uint8_t> target, std::size_t target_from, ByteView source, std::size_t from,
               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) set_bit(target, target_from + i, get_bit(source, from + i));
}

class Execution {
 public:
  Execution(const aesgate_backend& backend, const Case& c, CallNote* note, const PassOptions& options)
      : backend_(backend),
        case_(c),
        options_(options),
        room_(room_for(c)),
        arena_(this_threads_arena(room_)),
        calls_(outcome_, note),
        leftovers_(backend.name, c) {}

  Outcome run() {
    if (!accepts(calls_, backend_, case_.shape) || !prepare()) return std::move(outcome_);
    if (company_->before(calls_) && live_through(calls_, backend_, case_, arena_.context.placed(), *session_) &&
        start())
      on_another_thread_or_here([this] { case_.monte_carlo_steps > 0 ? run_monte_carlo() : run_chunks(); });
    if (!outcome_.crash) finish();
    company_->after(calls_);
    if (outcome_.crash) {
      session_->abandon();
      outcome_.crash_place = arena_.place_of(outcome_.crash->address);
    }
    clean_up();
    return std::move(outcome_);
  }

 private:
  /// The bytes of the message, or of the longest call that must be refused, which may be a few more: a backend may look
  /// at all that it is given before it looks at the length.
  static std::size_t room_for(const Case& c) {
    std::size_t room = c.input.size();
    for (const std::size_t chunk : c.chunks)
      if (!takes_length(c.shape.mode, chunk)) room = std::max(room, chunk);
    return room;
  }

  /// Where a Case moves between CPUs, its context passes to another thread after start(), and back for finish(), as it
  /// may between any two calls. The timer's signals are this thread's.
  template <typename Calls>
  void on_another_thread_or_here(Calls calls) {
    if (options_.migration == nullptr || options_.interrupted) return calls();
    try {
      std::thread(calls).join();
    } catch (const std::system_error&) {
      calls();  // the system has no more threads
    }
  }

  /// The context and the buffers; false if the backend wants a context that cannot be.
  bool prepare() {
    outcome_.call = "context_size()";
    std::size_t size = 0;
    auto ask = [&] { size = Session::context_size(backend_, case_.shape); };
    if (!calls_.make(ask)) return false;
    if (size > largest_context) {
      outcome_.status = Status::failed;
      outcome_.reason = fmt::format("it said {} bytes; at most {} are believed", size, largest_context);
      return false;
    }
    arena_.context.place_aligned(size, std::max<std::size_t>(backend_.context_align, 1), case_.placement.context);
    outcome_.call = "update_for()";
    auto make = [&] {
      session_.emplace(backend_, case_.shape, arena_.context.placed());
      company_.emplace(backend_, case_);
    };
    if (!calls_.make(make)) return false;
    session_->watch(&calls_.watch());
    const Placement& placement = case_.placement;
    std::ranges::fill(arena_.context.placed(), dirt());
    std::ranges::copy(case_.key.bytes(), arena_.key.place(case_.key.bytes().size(), placement.key).begin());
    if (has_iv(case_.shape.mode)) std::ranges::copy(case_.iv, arena_.iv.place(case_.iv.size(), placement.iv).begin());
    arena_.input.place(room_, placement.input);
    if (!placement.in_place) arena_.output.place(room_, placement.output);
    arena_.chaining_value.place(block_bytes, {Spot::Edge::end, 0});
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
    const bool restarts = case_.conditions.memory == Conditions::Memory::restarted;
    outcome_.call = restarts ? "restart()" : "start()";
    Status status = Status::ok;
    const std::uint8_t* key = arena_.key.read_only(arena_.key.placed());
    const std::uint8_t* iv = has_iv(case_.shape.mode) ? arena_.iv.read_only(arena_.iv.placed()) : nullptr;
    auto call = [&] { status = restarts ? session_->restart(key, iv) : session_->start(key, iv); };
    if (!calls_.make(call)) return false;
    expect_unchanged("key", case_.key.bytes(), arena_.key.placed());
    std::ranges::fill(arena_.key.placed(), poison);
    if (iv != nullptr) {
      expect_unchanged("IV", case_.iv, arena_.iv.placed());
      std::ranges::fill(arena_.iv.placed(), poison);
    }
    return ended_well(status) && ask_chaining_value(0) && pause();
  }

  /// What goes on between two calls.
  bool pause() {
    if (options_.migration != nullptr) options_.migration->next();
    return company_->between(calls_);
  }

  /// The name of the call to come. Millions are made: into the memory of the last one.
  template <typename... Parts>
  void set_call(const Parts&... parts) {
    outcome_.call.clear();
    const auto append = [this](const auto& part) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(part)>>) {
        const fmt::format_int digits(part);
        outcome_.call.append(digits.data(), digits.size());
      } else {
        outcome_.call.append(part);
      }
    };
    (append(parts), ...);
  }

  void run_chunks() {
    std::size_t at = 0;
    for (std::size_t i = 0; i < case_.chunks.size(); ++i) {
      const std::size_t chunk = case_.chunks[i];
      set_call("update() ", i + 1, ", of ", chunk, " at ", at);
      if (!takes_length(case_.shape.mode, chunk)) {
        if (!probe_refusal(chunk, at) || !pause()) return;
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
      if (!ask_chaining_value(at) || !pause()) return;
    }
  }

  void run_monte_carlo() {
    const std::size_t units = segment_units(case_.shape.mode);
    Bytes data(case_.input.size(), poison);
    for (std::size_t step = 0; step < case_.monte_carlo_steps; ++step) {
      set_call("update() ", step + 1, ", a Monte Carlo step");
      feed_back(case_, step, outcome_.output, data);
      if (!update(data, 0, units, step * units) || !pause()) return;
    }
    ask_chaining_value(case_.output_length());
  }

  /// One call of update() with `data`, which stands for the `length` units at `at`, `first_byte` bytes
  /// into the buffers; and all that must hold after it.
  bool update(const Bytes& data, std::size_t first_byte, std::size_t length, std::size_t at) {
    const std::span<std::uint8_t> in = arena_.input.placed().subspan(first_byte, data.size());
    const std::span<std::uint8_t> out =
        case_.placement.in_place ? in : arena_.output.placed().subspan(first_byte, data.size());
    // What a call before this one wrote too far away to be looked at then.
    expect_poison("input that no call had reached", arena_.input, in, last_update_);
    if (!case_.placement.in_place) expect_poison("output that no call had reached", arena_.output, out, last_update_);
    std::ranges::copy(data, in.begin());
    Status status = Status::ok;
    // A length of 0 allows null pointers; every second such call has them.
    const bool null = length == 0 && ++empty_calls_ % 2 == 0;
    const std::uint8_t* from = input_for_backend(in);
    auto call = [&] {
      // No call of a Case has the stack where the one before had it; it stays aligned.
      void* const further_down = __builtin_alloca(16 * (1 + (case_.length + updates_) % 7));
      asm volatile("" : : "r"(further_down) : "memory");
      status = session_->update(null ? nullptr : from, null ? nullptr : out.data(), length);
    };
    if (options_.interrupted) Interruptions::aim();
    const bool looks_at_stack = !options_.interrupted && leftovers_.looks_at_stack(updates_++);
    if (looks_at_stack) calls_.watch().watch_stack(true);
    if (!calls_.make(call)) return false;
    if (looks_at_stack) {
      leftovers_.look_at_stack(calls_.watch().stack(), outcome_);
      calls_.watch().watch_stack(false);
    }
    if (!case_.placement.in_place) expect_unchanged("input", data, in);
    if (!ended_well(status)) return false;
    take_output(out, data, length, at);
    std::ranges::fill(in, poison);
    std::ranges::fill(out, poison);
    expect_poison_around(first_byte, data.size());
    last_update_ = outcome_.call;
    return true;
  }

  /// Out of place, a backend only reads its input, and gets it where it cannot be written to.
  [[nodiscard]] const std::uint8_t* input_for_backend(std::span<const std::uint8_t> in) const {
    return case_.placement.in_place ? in.data() : arena_.input.read_only(in);
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
    const std::size_t first_byte = std::min(at, room_ - length);
    const std::span<std::uint8_t> in = arena_.input.placed().subspan(first_byte);
    const std::span<std::uint8_t> out = case_.placement.in_place ? in : arena_.output.placed().subspan(first_byte);
    Status status = Status::ok;
    const std::uint8_t* from = input_for_backend(in);
    auto call = [&] { status = session_->update(from, out.data(), length); };
    if (!calls_.make(call)) return false;
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
    if (asks_at_the_end_only() && position != case_.output_length()) return true;
    ChainingValue said{position, Status::ok, {}};
    const std::span<std::uint8_t> value = arena_.chaining_value.placed();
    auto call = [&] { said.status = session_->chaining_value(value.data()); };
    if (!calls_.make(call, "chaining_value()")) return false;
    std::ranges::copy(value, said.value.begin());
    std::ranges::fill(value, poison);
    outcome_.chaining_values.push_back(said);
    return true;
  }

  /// Asking must change nothing, nor be needed: in a quarter of the Cases, always the same, nobody asks on the way.
  [[nodiscard]] bool asks_at_the_end_only() const { return (case_.length + case_.key.bytes()[1]) % 4 == 3; }

  void finish() {
    const std::string before = std::exchange(outcome_.call, "finish()");
    auto call = [&] { session_->finish(); };
    if (!calls_.make(call)) return;
    leftovers_.look_at_context(arena_.context.placed(), outcome_);
    if (outcome_.status != Status::ok) outcome_.call = before;
  }

  /// Nothing but the context was written to, and that only where it is.
  void clean_up() {
    std::ranges::fill(arena_.context.placed(), poison);
    if (outcome_.crash) {
      for (auto& [name, buffer] : arena_.all()) buffer.reset();
      return;
    }
    for (auto& [name, buffer] : arena_.all()) {
      if (&buffer == &arena_.input || (&buffer == &arena_.output && !case_.placement.in_place))
        expect_poison(
            &buffer == &arena_.input ? "input outside the range of its call" : "output outside the range of its call",
            buffer, buffer.placed(), outcome_.call);
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

  void expect_poison(const char* what, const GuardedBuffer& buffer, std::span<const std::uint8_t> bytes,
                     const std::string& call) {
    const auto bad = find_non_poison(bytes);
    if (!bad || outcome_.damage.size() >= most_damage) return;
    const std::ptrdiff_t offset = bytes.data() - buffer.placed().data() + static_cast<std::ptrdiff_t>(*bad);
    outcome_.damage.push_back({what, offset, poison, bytes[*bad], call});
  }

  void expect_unchanged(const char* what, ByteView before, std::span<const std::uint8_t> after) {
    const auto [b, a] = std::ranges::mismatch(before, after);
    if (b != before.end()) add_damage(what, b - before.begin(), *b, *a);
  }

  void add_damage(std::string what, std::ptrdiff_t offset, std::uint8_t expected, std::uint8_t found) {
    if (outcome_.damage.size() < most_damage)
      outcome_.damage.push_back({std::move(what), offset, expected, found, outcome_.call});
  }

  bool ended_well(Status status) {
    outcome_.status = status;
    return status == Status::ok;
  }

  const aesgate_backend& backend_;
  const Case& case_;
  PassOptions options_;
  std::size_t room_;  // of the input's and the output's buffer
  Arena& arena_;
  Outcome outcome_;
  Calls calls_;
  Leftovers leftovers_;
  std::optional<Session> session_;
  std::optional<Company> company_;
  std::string last_update_ = "start()";
  unsigned empty_calls_ = 0;
  std::size_t updates_ = 0;
};

}  // namespace

Outcome execute(const aesgate_backend& backend, const Case& c) {
  if (Driver* const driver = driver_of(backend)) return driver->execute(c);
  return execute_here(backend, c, nullptr);
}

Outcome execute_here(const aesgate_backend& backend, const Case& c, CallNote* note) {
  if (c.repeated_to > 0) return execute_repeated(backend, c, note);
  std::optional<Allowance::Duration> taken;
  const Pass pass = [&](const PassOptions& options) {
    const Stopwatch stopwatch;
    Outcome outcome = Execution(backend, c, note, options).run();
    // The first pass is in peace.
    if (!taken) taken = stopwatch.elapsed();
    return outcome;
  };
  Outcome outcome = needs_passes(c.conditions) ? run_passes(backend, c, note, pass) : pass({});
  outcome.time_taken = taken.value_or(Allowance::Duration{});
  return outcome;
}

}  // namespace aesgate
