#include "fuzz/stream.h"

#include <algorithm>
#include <array>

#include "core/calls.h"
#include "core/guarded_buffer.h"
#include "core/message.h"
#include "core/registry.h"
#include "core/session.h"
#include "fuzz/fit.h"
#include "fuzz/prng.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

/// The memory of one thread's streams. Mapping it costs more than a stream.
struct Memory {
  std::array<GuardedBuffer, stream_contexts> contexts;
  GuardedBuffer input, output, key, iv, chaining_value;
};

Memory& this_threads_memory() {
  static thread_local Memory memory;
  return memory;
}

/// A context, and the message that it is in.
struct Context {
  explicit Context(const Shape& s) : shape(s) {}
  Shape shape;
  std::optional<Session> session;
  Case message;
  Outcome outcome;
};

class StreamRun {
 public:
  explicit StreamRun(const aesgate_backend& backend) : backend_(backend) {}
  ~StreamRun() {
    if (!failed_) return;
    // After a failure the others are finished too: they may own memory of a library.
    for (auto& context : contexts_)
      if (auto function = [&] { context->session->finish(); }; context) (void)calls_.make(function);
    for (GuardedBuffer& buffer : memory_.contexts) buffer.reset();
    for (GuardedBuffer* buffer : shared_buffers()) buffer->reset();
  }
  StreamRun(const StreamRun&) = delete;
  StreamRun& operator=(const StreamRun&) = delete;

  Result<std::optional<StreamFailure>> run(const std::vector<StreamCall>& calls) {
    for (number_ = 0; number_ < calls.size() && !failed_; ++number_) make(calls[number_]);
    for (std::size_t i = 0; i < stream_contexts && !failed_; ++i)
      if (contexts_[i]) end(i);
    if (oracles_disagree_) return tl::unexpected(*oracles_disagree_);
    return std::move(failure_);
  }

 private:
  std::array<GuardedBuffer*, 5> shared_buffers() {
    return {&memory_.input, &memory_.output, &memory_.key, &memory_.iv, &memory_.chaining_value};
  }

  void make(const StreamCall& call) {
    if (call.kind == StreamCall::Kind::start) return start(call);
    if (!contexts_[call.context]) return;
    switch (call.kind) {
      case StreamCall::Kind::start: break;
      case StreamCall::Kind::restart: restart(call); break;
      case StreamCall::Kind::update: update(call); break;
      case StreamCall::Kind::chaining_value: ask_chaining_value(*contexts_[call.context]); break;
      case StreamCall::Kind::finish: end(call.context); break;
      case StreamCall::Kind::refused: refused(call); break;
    }
  }

  void start(const StreamCall& call) {
    if (contexts_[call.context]) end(call.context);
    const Shape& shape = all_shapes()[call.number % shape_count];
    if (failed_ || !Session::supports(backend_, shape)) return;
    Context& context = contexts_[call.context].emplace(shape);
    GuardedBuffer& buffer = memory_.contexts[call.context];
    const std::span<std::uint8_t> memory =
        buffer.place_aligned(Session::context_size(backend_, shape), std::max<std::size_t>(backend_.context_align, 1),
                             {Spot::Edge::end, static_cast<std::uint16_t>(call.detail % 2)});
    std::ranges::fill(memory, call.detail);
    context.session.emplace(backend_, shape, memory);
    context.session->watch(&calls_.watch());
    Key key(shape.key_size);
    Prng(call.detail).fill(key.bytes());
    begin_message(context, std::move(key), call);
    Status status = Status::ok;
    const auto [key_memory, iv_memory] = place_key_and_iv(context.message);
    auto function = [&, k = key_memory, iv = iv_memory] { status = context.session->start(k, iv); };
    if (made(context, "start()", function)) ended_well(context, status);
  }

  void restart(const StreamCall& call) {
    Context& context = *contexts_[call.context];
    settle(context);
    if (failed_) return;
    begin_message(context, context.message.key.copy(), call);
    Status status = Status::ok;
    const auto [key_memory, iv_memory] = place_key_and_iv(context.message);
    auto function = [&, k = key_memory, iv = iv_memory] { status = context.session->restart(k, iv); };
    if (made(context, "restart()", function)) ended_well(context, status);
  }

  void begin_message(Context& context, Key key, const StreamCall& call) {
    Block iv{};
    if (has_iv(context.shape.mode)) Prng(call.detail + 1000u + call.number).fill(iv);
    context.message = make_case(context.shape, std::move(key), iv, {}, 0);
    context.message.chunks.clear();
    context.message.backend = backend_.name;
    context.message.origin = "a stream";
    context.outcome = {};
    context.outcome.accepted = true;
  }

  /// Where both can only be read, and are nothing a moment later: neither may be kept by reference.
  std::pair<const std::uint8_t*, const std::uint8_t*> place_key_and_iv(const Case& message) {
    const auto key = memory_.key.place(message.key.bytes().size(), {Spot::Edge::end, 0});
    std::ranges::copy(message.key.bytes(), key.begin());
    const auto iv = memory_.iv.place(message.iv.size(), {Spot::Edge::end, 0});
    std::ranges::copy(message.iv, iv.begin());
    return {memory_.key.read_only(key), has_iv(message.shape.mode) ? memory_.iv.read_only(iv) : nullptr};
  }

  void update(const StreamCall& call) {
    Context& context = *contexts_[call.context];
    const Mode mode = context.shape.mode;
    const std::size_t length = fit_length(mode, call.number % (max_stream_update(mode) + 1));
    const auto [in, out] = place_buffers(call, bytes_for(mode, length));
    Bytes data(in.size());
    Prng(number_ << 16 | call.detail).fill(data);
    std::ranges::copy(data, in.begin());
    Status status = Status::ok;
    const std::uint8_t* const from = call.in_place ? in.data() : memory_.input.read_only(in);
    auto function = [&, o = out.data()] { status = context.session->update(from, o, length); };
    // Before the call, so that the message has the one that it ended in, too.
    std::string name = update_name(context.message, length);
    take_input(context.message, data, length);
    if (!made(context, std::move(name), function)) return;
    if (!ended_well(context, status)) return;
    take_output(context, out, data, length, call.in_place);
    if (!call.in_place && !std::ranges::equal(data, in)) {
      const auto at = std::ranges::mismatch(data, in).in1 - data.begin();
      add_damage(context, "input", at, data[static_cast<std::size_t>(at)], in[static_cast<std::size_t>(at)]);
    }
    std::ranges::fill(in, poison);
    std::ranges::fill(out, poison);
    expect_no_damage(context);
  }

  void refused(const StreamCall& call) {
    Context& context = *contexts_[call.context];
    const bool refuses = is_block_mode(context.shape.mode);
    // At most 15 past what the message has, as in a Case.
    const std::size_t blocks = std::min<std::size_t>(call.number / 15 % 4, context.message.length / 16);
    const std::size_t length = refuses ? 16 * blocks + 1 + call.number % 15 : 0;
    const auto [in, out] = place_buffers(call, length);
    Status status = Status::ok;
    auto function = [&, i = refuses ? in.data() : nullptr, o = refuses ? out.data() : nullptr] {
      status = context.session->update(i, o, length);
    };
    const std::string name = update_name(context.message, length);
    context.message.chunks.push_back(length);
    if (!made(context, name, function)) return;
    if (!refuses) {
      ended_well(context, status);
      return;
    }
    if (status != Status::bad_argument) {
      context.outcome.status = Status::failed;
      context.outcome.call = name;
      context.outcome.reason =
          fmt::format("it should refuse this length as a bad argument, and said {}", aesgate::name(status));
      return fail(context);
    }
    for (const std::span<std::uint8_t>& bytes : {in, out})
      if (const auto bad = find_non_poison(bytes))
        add_damage(context, "data of a refused call", static_cast<std::ptrdiff_t>(*bad), poison, bytes[*bad]);
    expect_no_damage(context);
  }

  std::pair<std::span<std::uint8_t>, std::span<std::uint8_t>> place_buffers(const StreamCall& call, std::size_t size) {
    const auto edge = [](bool at_end) { return at_end ? Spot::Edge::end : Spot::Edge::start; };
    const auto in = memory_.input.place(size, {edge(call.input_at_end), static_cast<std::uint16_t>(call.detail % 16)});
    if (call.in_place) return {in, in};
    return {in, memory_.output.place(size, {edge(call.output_at_end), static_cast<std::uint16_t>(call.detail / 16)})};
  }

  /// As execute() calls it, so that the same fault has the same name.
  static std::string update_name(const Case& message, std::size_t length) {
    return fmt::format("update() {}, of {} at {}", message.chunks.size() + 1, length, message.length);
  }

  static void take_input(Case& message, ByteView data, std::size_t length) {
    const std::size_t at = message.length;
    message.chunks.push_back(length);
    message.length += length;
    if (message.shape.mode != Mode::cfb1) {
      message.input.insert(message.input.end(), data.begin(), data.end());
      return;
    }
    message.input.resize(bytes_for(Mode::cfb1, message.length));
    for (std::size_t i = 0; i < length; ++i) set_bit(message.input, at + i, get_bit(data, i));
  }

  /// In CFB1, too, what lies past the length: "output bits past it are left as they were".
  void take_output(Context& context, ByteView out, ByteView data, std::size_t length, bool in_place) {
    Bytes& output = context.outcome.output;
    if (context.shape.mode != Mode::cfb1) {
      output.insert(output.end(), out.begin(), out.end());
      return;
    }
    const std::size_t at = context.message.length - length;
    output.resize(bytes_for(Mode::cfb1, at + length));
    for (std::size_t i = 0; i < length; ++i) set_bit(output, at + i, get_bit(out, i));
    for (std::size_t bit = length; bit < 8 * out.size(); ++bit) {
      const bool before = in_place ? get_bit(data, bit) : get_bit(std::array{poison}, bit % 8);
      if (get_bit(out, bit) != before)
        return add_damage(context, "bits of the output past the length", static_cast<std::ptrdiff_t>(bit / 8), before,
                          !before);
    }
  }

  void ask_chaining_value(Context& context) {
    if (!context.session->tells_chaining_value()) return;
    const std::span<std::uint8_t> value = memory_.chaining_value.place(block_bytes, {Spot::Edge::end, 0});
    ChainingValue said{context.message.length, Status::ok, {}};
    auto function = [&] { said.status = context.session->chaining_value(value.data()); };
    if (!made(context, "chaining_value()", function)) return;
    std::ranges::copy(value, said.value.begin());
    std::ranges::fill(value, poison);
    context.outcome.chaining_values.push_back(said);
  }

  /// finish(), and what can be judged then.
  void end(std::size_t number) {
    Context& context = *contexts_[number];
    settle(context);
    if (failed_) return;
    auto function = [&] { context.session->finish(); };
    if (!made(context, "finish()", function)) return;
    GuardedBuffer& buffer = memory_.contexts[number];
    std::ranges::fill(buffer.placed(), poison);
    if (const auto offset = buffer.damage()) {
      add_damage(context, "memory beside the context", *offset, poison, buffer.placed().data()[*offset]);
      buffer.reset();
    }
    if (!failed_) contexts_[number].reset();
  }

  /// Judges the message, which is over.
  void settle(Context& context) {
    const auto answer = ask(context.message);
    if (!answer) {
      oracles_disagree_ = answer.error();
      failed_ = true;
      return;
    }
    judge_it(context, *answer);
  }

  void judge_it(Context& context, const Answer& answer) {
    const Judgement judgement = judge(context.message, context.outcome, answer);
    if (!is_failure(judgement.verdict)) return;
    failed_ = true;
    failure_ = StreamFailure{context.message.copy(), judgement, number_ + 1};
  }

  /// What no answer of the oracles can mend: crash, status, damage, breach.
  void fail(Context& context) {
    Answer same;
    same.output = context.outcome.output;
    judge_it(context, same);
  }

  void add_damage(Context& context, std::string what, std::ptrdiff_t offset, std::uint8_t expected,
                  std::uint8_t found) {
    context.outcome.damage.push_back({std::move(what), offset, expected, found, outcome_.call});
    fail(context);
  }

  void expect_no_damage(Context& context) {
    for (const auto& [name, buffer] : {std::pair{"input", &memory_.input}, std::pair{"output", &memory_.output}})
      if (const auto offset = failed_ || buffer->placed().empty() ? std::nullopt : buffer->damage())
        add_damage(context, fmt::format("memory beside the {}", name), *offset, poison,
                   buffer->placed().data()[*offset]);
  }

  bool ended_well(Context& context, Status status) {
    if (status == Status::ok) return true;
    context.outcome.status = status;
    context.outcome.call = outcome_.call;
    fail(context);
    return false;
  }

  template <typename Function>
  bool made(Context& context, std::string name, Function& function) {
    outcome_.call = std::move(name);
    if (!calls_.make(function)) {
      context.session->abandon();
      context.outcome.crash = outcome_.crash;
      context.outcome.call = outcome_.call;
      fail(context);
      return false;
    }
    if (outcome_.breaches.empty()) return true;
    context.outcome.breaches = std::exchange(outcome_.breaches, {});
    fail(context);
    return false;
  }

  const aesgate_backend& backend_;
  Memory& memory_ = this_threads_memory();
  Outcome outcome_;  // of all contexts; what is theirs goes on to them
  Calls calls_{outcome_, nullptr};
  std::array<std::optional<Context>, stream_contexts> contexts_;
  std::size_t number_ = 0;
  bool failed_ = false;
  std::optional<Error> oracles_disagree_;
  std::optional<StreamFailure> failure_;
};

}  // namespace

Result<std::optional<StreamFailure>> run_stream(const aesgate_backend& backend, const std::vector<StreamCall>& calls) {
  return StreamRun(backend).run(calls);
}

}  // namespace aesgate
