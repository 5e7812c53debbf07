#include "core/long_message.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/acceptance.h"
#include "core/calls.h"
#include "core/guarded_buffer.h"
#include "core/repeated_pages.h"
#include "core/session.h"

namespace aesgate {
namespace {

constexpr std::size_t short_call_bytes = std::size_t{1} << 20;

/// What one way through the message leaves behind.
struct Left {
  Bytes output;
  Status chaining_status = Status::unsupported;
  Block chaining_value{};
};

class LongMessage {
 public:
  LongMessage(const aesgate_backend& backend, const Case& c, CallNote* note)
      : backend_(backend), case_(c), calls_(outcome_, note) {}

  Outcome run() {
    if (!accepts(calls_, backend_, case_.shape) || !map()) return std::move(outcome_);
    // A period is whole units of every mode, and a message in calls of it is the message.
    const std::size_t short_call = short_call_bytes * 8 / unit_bits(case_.shape.mode);
    const auto long_way = go(case_.repeated_to);
    const auto short_way = long_way ? go(short_call) : std::nullopt;
    if (short_way) compare(*short_way, *long_way);
    return std::move(outcome_);
  }

 private:
  bool map() {
    const std::size_t size = bytes_for(case_.shape.mode, case_.repeated_to);
    for (std::optional<RepeatedPages>* pages : {&input_, &output_}) {
      if (pages == &output_ && case_.placement.in_place) break;
      auto mapped = RepeatedPages::map(size);
      if (!mapped) {
        outcome_.cut_short = Verdict::declined;
        outcome_.reason = mapped.error().message;
        return false;
      }
      pages->emplace(std::move(*mapped));
    }
    return true;
  }

  /// The message in calls of at most `most` units.
  std::optional<Left> go(std::size_t most) {
    const std::span<std::uint8_t> input = input_->last_period();
    // From the message's first byte on, wherever in the period that is.
    const std::size_t size = bytes_for(case_.shape.mode, case_.repeated_to);
    for (std::size_t i = 0; i < input.size(); ++i)
      input[i] = case_.input[(size - input.size() + i) % case_.input.size()];
    if (output_) std::ranges::fill(output_->last_period(), poison);
    std::optional<Session> session;
    outcome_.call = "context_size()";
    auto make = [&] { session.emplace(backend_, case_.shape); };
    if (!calls_.make(make)) return std::nullopt;
    session->watch(&calls_.watch());
    std::optional<Left> left = drive(*session, most);
    if (outcome_.crash || !finish(*session)) {
      session->abandon();
      return std::nullopt;
    }
    return left;
  }

  std::optional<Left> drive(Session& session, std::size_t most) {
    const RepeatedPages& output = output_ ? *output_ : *input_;
    const bool iv = has_iv(case_.shape.mode);
    Status status = Status::ok;
    outcome_.call = "start()";
    auto start = [&] { status = session.start(case_.key.bytes().data(), iv ? case_.iv.data() : nullptr); };
    if (!well(start, status)) return std::nullopt;
    std::size_t number = 0;
    for (std::size_t at = 0; at < case_.repeated_to;) {
      const std::size_t length = std::min(most, case_.repeated_to - at);
      const std::size_t byte = bytes_for(case_.shape.mode, at);
      outcome_.call = fmt::format("update() {}, of {} at {}", ++number, length, at);
      auto update = [&] { status = session.update(input_->data() + byte, output.data() + byte, length); };
      if (!well(update, status)) return std::nullopt;
      at += length;
    }
    Left left;
    const std::span<const std::uint8_t> end = output.last_period();
    left.output.assign(end.begin(), end.end());
    if (!session.tells_chaining_value()) return left;
    auto ask = [&] { left.chaining_status = session.chaining_value(left.chaining_value.data()); };
    if (!calls_.make(ask, "chaining_value()")) return std::nullopt;
    return left;
  }

  bool finish(Session& session) {
    const Status status = outcome_.status;
    const std::string call = std::exchange(outcome_.call, "finish()");
    auto finish = [&] { session.finish(); };
    if (!calls_.make(finish)) return false;
    outcome_.call = call;
    outcome_.status = status;
    return true;
  }

  template <typename Call>
  bool well(Call& call, const Status& status) {
    if (!calls_.make(call)) return false;
    outcome_.status = status;
    return status == Status::ok;
  }

  void compare(const Left& expected, const Left& found) {
    const std::string call = fmt::format("update() 1, of {} at 0", case_.repeated_to);
    const std::size_t size = bytes_for(case_.shape.mode, case_.repeated_to);
    const auto first = static_cast<std::ptrdiff_t>(size - expected.output.size());
    const auto [e, f] = std::ranges::mismatch(expected.output, found.output);
    if (e != expected.output.end())
      outcome_.damage.push_back(
          {"output of one long call (as against short ones)", first + (e - expected.output.begin()), *e, *f, call});
    const auto [v, w] = std::ranges::mismatch(expected.chaining_value, found.chaining_value);
    if (v != expected.chaining_value.end())
      outcome_.damage.push_back({"chaining value of one long call (as against short ones)",
                                 v - expected.chaining_value.begin(), *v, *w, call});
    if (expected.chaining_status != found.chaining_status)
      outcome_.breaches.push_back({"chaining_value()", call,
                                   fmt::format("it said {}, and {} where the calls were short",
                                               name(found.chaining_status), name(expected.chaining_status))});
  }

  const aesgate_backend& backend_;
  const Case& case_;
  Outcome outcome_;
  Calls calls_;
  std::optional<RepeatedPages> input_, output_;
};

}  // namespace

Outcome execute_repeated(const aesgate_backend& backend, const Case& c, CallNote* note) {
  return LongMessage(backend, c, note).run();
}

}  // namespace aesgate
