#include "isolation/isolated.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "core/driver.h"
#include "core/plugin.h"
#include "core/registry.h"
#include "isolation/message.h"
#include "isolation/worker_process.h"

namespace aesgate {
namespace {

using Infos = std::vector<DrivenInfo>;

tl::unexpected<Loss> unreadable() {
  return tl::unexpected(Loss{Verdict::failed, "its process gave no answer that can be read"});
}

/// What a worker answers to a request that `put` has written, read by `read`: Error if it says so, Loss if it is gone.
template <typename T, typename Put, typename Read>
tl::expected<Result<T>, Loss> ask(WorkerProcess& worker, const Isolation& isolation, Request request, Put put,
                                  Read read) {
  MessageWriter writer;
  writer.number(static_cast<std::uint64_t>(request));
  put(writer);
  const auto answer = worker.ask(writer.message(), isolation.time_limit);
  if (!answer) return tl::unexpected(answer.error());
  MessageReader reader(*answer);
  if (reader.number() == 0) {
    const std::string message = reader.text();
    if (!reader.is_whole()) return unreadable();
    return Result<T>(error("{}", message));
  }
  auto value = read(reader);
  if (!value) return unreadable();
  return Result<T>(std::move(*value));
}

constexpr auto nothing = [](MessageWriter&) {};

/// The same where a Loss is an Error too.
template <typename T, typename Put, typename Read>
Result<T> ask_once(WorkerProcess& worker, const Isolation& isolation, Request request, Put put, Read read) {
  auto answer = ask<T>(worker, isolation, request, put, read);
  if (!answer) return error("{}: {}", name(answer.error().verdict), answer.error().reason);
  return std::move(*answer);
}

/// How often the process of a backend was lost.
class Losses {
 public:
  void add(Mode mode, Verdict verdict) {
    OfMode& here = of_mode_[static_cast<std::size_t>(mode)];
    ++here.all;
    if (verdict != Verdict::timed_out) return;
    ++here.time_outs;
    ++time_outs_;
  }

  /// How long the next Case may take: a backend that has hung will hang again.
  [[nodiscard]] std::chrono::milliseconds limit(std::chrono::milliseconds first) const {
    return time_outs_ == 0 ? first : std::max(first / 5, std::min(first, std::chrono::milliseconds(1000)));
  }

  /// probe() did not return.
  void add_time_out() { ++time_outs_; }

  /// Why no more Cases of a mode are executed; empty if they are.
  [[nodiscard]] std::string why_given_up(Mode mode) const {
    const OfMode& here = of_mode_[static_cast<std::size_t>(mode)];
    if (here.time_outs >= most_time_outs)
      return fmt::format("not called any more after {} time-outs in this mode", most_time_outs);
    if (time_outs_ >= most_time_outs_in_all)
      return fmt::format("not called any more after {} time-outs", most_time_outs_in_all);
    if (here.all >= most_losses)
      return fmt::format("not called any more after {} lost processes in this mode, of reduced cases too", most_losses);
    return {};
  }

 private:
  struct OfMode {
    std::atomic<unsigned> all = 0, time_outs = 0;
  };
  std::array<OfMode, all_modes.size()> of_mode_;
  std::atomic<unsigned> time_outs_ = 0;
};

class IsolatedBackend final : public Driver {
 public:
  IsolatedBackend(std::filesystem::path source, std::string spec, const Isolation& isolation, DrivenInfo info)
      : source_(std::move(source)),
        spec_(std::move(spec)),
        isolation_(isolation),
        info_(std::move(info)),
        backend_(driven_backend(*this, info_)) {}

  [[nodiscard]] const aesgate_backend* backend() const { return &backend_; }

  [[nodiscard]] bool is(const std::filesystem::path& source, std::string_view spec, const Isolation& isolation) const {
    return source_ == source && spec_ == spec && isolation_.time_limit == isolation.time_limit &&
           isolation_.copy == isolation.copy;
  }

  /// Lets a worker of the same source say what probe() and update_for() do; false if it is lost in it.
  bool describe(WorkerProcess& worker) {
    const auto chosen = choose(worker);
    if (!chosen) return false;
    if (!*chosen) return true;
    auto described = ask<Description>(worker, isolation_, Request::probe, nothing, read_description);
    if (!described && described.error().verdict == Verdict::timed_out) losses_.add_time_out();
    if (!described) return false;
    if (*described) description_ = std::move(**described);
    return true;
  }

  Outcome execute(const Case& c) override {
    if (const std::string why = losses_.why_given_up(c.shape.mode); !why.empty())
      return cut_short(Verdict::declined, why);
    Outcome outcome = execute_in_worker(c);
    // A worker in which a call was cut off has locks that nobody holds and a heap that nobody knows.
    if (outcome.crash || (outcome.cut_short && *outcome.cut_short != Verdict::declined)) {
      seat().worker.reset();
      losses_.add(c.shape.mode, outcome.cut_short.value_or(Verdict::crashed));
    }
    return outcome;
  }

  [[nodiscard]] std::string why_unavailable() const override { return description_.why_unavailable; }
  [[nodiscard]] bool supports(const Shape& shape) const override { return description_.supported[index(shape)]; }
  [[nodiscard]] Result<const aesgate_backend*> configure(const std::string& options) override;

  [[nodiscard]] Result<const aesgate_backend*> in_process() override {
    const std::lock_guard lock(mutex_);
    if (in_process_ != nullptr) return in_process_;
    auto backends =
        source_.empty() ? Result<std::vector<const aesgate_backend*>>(built_in_backends()) : load_plugin(source_);
    if (!backends) return tl::unexpected(backends.error());
    const auto found = find_backend(spec_, *backends);
    if (found) in_process_ = *found;
    return found;
  }

 private:
  /// A thread's worker, and whose it is. One at a time: a stage does one backend after the other.
  struct Seat {
    const IsolatedBackend* owner = nullptr;
    std::unique_ptr<WorkerProcess> worker;
  };
  static Seat& seat() {
    thread_local Seat seat;
    return seat;
  }

  static Outcome cut_short(Verdict verdict, std::string reason) {
    Outcome outcome;
    outcome.status = Status::failed;
    outcome.reason = std::move(reason);
    outcome.cut_short = verdict;
    return outcome;
  }

  tl::expected<Result<Infos>, Loss> choose(WorkerProcess& worker) const {
    return ask<Infos>(
        worker, isolation_, Request::choose, [this](MessageWriter& writer) { writer.text(spec_); }, read_infos);
  }

  Outcome execute_in_worker(const Case& c) {
    Seat& mine = seat();
    if (mine.owner != this || mine.worker == nullptr) {
      mine.worker.reset();
      mine.owner = this;
      mine.worker = std::make_unique<WorkerProcess>(source_);
      const auto chosen = choose(*mine.worker);
      if (!chosen) return cut_short(chosen.error().verdict, chosen.error().reason);
      if (!*chosen) return cut_short(Verdict::failed, chosen->error().message);
    }
    Isolation isolation = isolation_;
    isolation.time_limit = losses_.limit(isolation.time_limit);
    // A long message has the time limit for each 2^23 calls of the cipher that it begins, which it makes twice.
    const std::size_t segments = c.repeated_to / segment_units(c.shape.mode);
    isolation.time_limit *= 1 + static_cast<int>(segments >> 23);
    auto answer = ask<Outcome>(
        *mine.worker, isolation, Request::execute, [&c](MessageWriter& writer) { write(writer, c); },
        [&c](MessageReader& reader) { return read_outcome_of(c, reader); });
    if (!answer) return cut_short(answer.error().verdict, answer.error().reason);
    if (!*answer) return cut_short(Verdict::failed, answer->error().message);
    return std::move(**answer);
  }

  /// judge() takes positions for what execute() would say.
  static std::optional<Outcome> read_outcome_of(const Case& c, MessageReader& reader) {
    auto outcome = read_outcome(reader);
    if (!outcome) return std::nullopt;
    const auto is_outside = [&c](const ChainingValue& said) { return said.position > c.output_length(); };
    if (std::ranges::any_of(outcome->chaining_values, is_outside)) return std::nullopt;
    return outcome;
  }

  const std::filesystem::path source_;
  const std::string spec_;
  const Isolation isolation_;
  const DrivenInfo info_;
  const aesgate_backend backend_;
  Description description_{{}, std::vector<bool>(shape_count, true)};
  Losses losses_;
  std::mutex mutex_;
  const aesgate_backend* in_process_ = nullptr;
};

/// All that there are, until the process ends; the same one for the same question.
class Kept {
 public:
  IsolatedBackend* find(const std::filesystem::path& source, std::string_view spec, const Isolation& isolation) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(all_, [&](const auto& b) { return b->is(source, spec, isolation); });
    return found == all_.end() ? nullptr : found->get();
  }

  const aesgate_backend* add(std::unique_ptr<IsolatedBackend> isolated) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(isolated));
    return all_.back()->backend();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<IsolatedBackend>> all_;
};

Kept& kept() {
  static Kept kept;
  return kept;
}

/// Makes the isolated backend of what a worker said. It is believed no more than a plugin: a name becomes that of
/// files.
Result<std::unique_ptr<IsolatedBackend>> make(const std::filesystem::path& source, const std::string& spec,
                                              const Isolation& isolation, const DrivenInfo& info) {
  auto made = std::make_unique<IsolatedBackend>(source, spec, isolation, info);
  if (const auto admitted = admit(*made->backend()); !admitted) return tl::unexpected(admitted.error());
  return made;
}

Result<const aesgate_backend*> isolate_one(const std::filesystem::path& source, const std::string& spec,
                                           const Isolation& isolation) {
  if (const auto* known = kept().find(source, spec, isolation)) return known->backend();
  WorkerProcess worker(source);
  const auto infos = ask_once<Infos>(
      worker, isolation, Request::choose, [&](MessageWriter& writer) { writer.text(spec); }, read_infos);
  if (!infos) return tl::unexpected(infos.error());
  if (infos->size() != 1) return error("backend {}: {}", spec, unreadable().value().reason);
  auto made = make(source, spec, isolation, infos->front());
  if (!made) return tl::unexpected(made.error());
  (*made)->describe(worker);
  return kept().add(std::move(*made));
}

}  // namespace

Result<const aesgate_backend*> IsolatedBackend::configure(const std::string& options) {
  const std::string spec = fmt::format("{}:{}", info_.name, options);
  auto variant = isolate_one(source_, spec, isolation_);
  if (variant) return variant;
  // find_backend(), which asks, names the backend too.
  std::string message = variant.error().message;
  if (const std::string prefix = fmt::format("backend {}: ", spec); message.starts_with(prefix))
    message.erase(0, prefix.size());
  return error("{}", message);
}

Result<std::vector<const aesgate_backend*>> isolate_plugin(const std::filesystem::path& file,
                                                           const Isolation& isolation) {
  if (const auto readable = check_plugin_file(file); !readable) return tl::unexpected(readable.error());
  auto worker = std::make_unique<WorkerProcess>(file);
  auto infos = ask<Infos>(*worker, isolation, Request::list, nothing, read_infos);
  if (!infos) return error("{}: {}: {}", file.string(), name(infos.error().verdict), infos.error().reason);
  if (!*infos) {
    const std::string& message = infos->error().message;
    return error("{}{}", message.starts_with(file.string()) ? "" : file.string() + ": ", message);
  }
  std::vector<const aesgate_backend*> backends;
  for (const DrivenInfo& info : **infos) {
    if (const auto* known = kept().find(file, info.name, isolation)) {
      backends.push_back(known->backend());
      continue;
    }
    auto made = make(file, info.name, isolation, info);
    if (!made) return error("{}: {}", file.string(), made.error().message);
    if (!(*made)->describe(*worker)) worker = std::make_unique<WorkerProcess>(file);
    backends.push_back(kept().add(std::move(*made)));
  }
  return backends;
}

Result<const aesgate_backend*> isolate_built_in(std::string_view spec, const Isolation& isolation) {
  return isolate_one({}, std::string(spec), isolation);
}

}  // namespace aesgate
