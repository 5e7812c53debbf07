// `openssl speed`: the lines "Doing …", the table, -mr and -multi, and what stands around them.

#include <algorithm>
#include <optional>

#include "core/text_file.h"
#include "explain/line_reader.h"
#include "explain/openssl_lines.h"
#include "explain/openssl_session.h"
#include "explain/words.h"

namespace aesgate::explain {
namespace {

constexpr std::size_t most_wrapped_lines = 4;

class OpensslReader : public LineReader {
 public:
  Result<std::size_t> take(const Text& text, std::size_t at) override {
    if (const auto command = parse_openssl_command(text.line(at))) {
      begin(text, at);
      open_->take_command(*command, text.place(at));
      return 1;
    }
    if (take_setting(text, at)) return 1;
    if (begins_doing(text.line(at))) return take_doing(text, at);
    if (text.line(at).starts_with("type ")) return take_head(text, at);
    if (const auto line = parse_machine_line(text.line(at))) return take_machine_line(*line, text, at);
    if (!sizes_.empty()) return take_row(text, at);
    return 0;
  }

  void finish(Reading& reading) override {
    close();
    for (OpensslSession& invocation : closed_) {
      if (invocation.runs.empty() && invocation.said.engine_refusal.empty()) continue;
      const std::size_t number = reading.invocations++;
      if (invocation.runs.empty()) invocation.runs.emplace_back().not_timed = "the text has no figures of it";
      for (SpeedRun& run : invocation.runs) {
        run.invocation = invocation.said;
        run.invocation_number = number;
        invocation.settle(run);
        reading.runs.push_back(std::move(run));
      }
    }
  }

 private:
  OpensslSession& open(const Text& text, std::size_t at) {
    if (!open_) begin(text, at);
    return *open_;
  }

  void begin(const Text& text, std::size_t at) {
    close();
    open_.emplace();
    open_->said.place = text.place(at);
  }

  void close() {
    if (open_) closed_.push_back(std::move(*open_));
    open_.reset();
    sizes_.clear();
    pending_.reset();
  }

  void begin_if_it_has_figures(const Text& text, std::size_t at) {
    if (!open_ || !open_->runs.empty()) begin(text, at);
  }

  /// Lines that are no figures.
  bool take_setting(const Text& text, std::size_t at) {
    const std::string& line = text.line(at);
    if (mentions(line, "invalid engine") || (mentions(line, "engine \"") && mentions(line, "\" set."))) {
      begin_if_it_has_figures(text, at);
      Invocation& said = open_->said;
      const bool set = mentions(line, "\" set.");
      if (const auto engine = between(line, "\"", "\"")) said.engine = *engine;
      (set ? said.engine_place : said.refusal_place) = text.place(at);
      if (set)
        said.engine_set = true;
      else
        said.engine_refusal = excerpt(line);
      return true;
    }
    if (mentions(line, "could not open /dev/crypto") || mentions(line, "unable to open /dev/crypto")) {
      begin_if_it_has_figures(text, at);
      open_->said.engine_refusal = "Could not open /dev/crypto";
      open_->said.refusal_place = text.place(at);
      if (open_->said.engine.empty()) open_->said.engine = "devcrypto";
      return true;
    }
    if (line == "Forked child 0") begin_if_it_has_figures(text, at);
    if (line.starts_with("You have chosen to measure elapsed time")) {
      begin_if_it_has_figures(text, at);
      open_->said.clock = Clock::elapsed;
      return true;
    }
    return open_ && open_->take_remark(line, text.place(at));
  }

  Result<std::size_t> take_doing(const Text& text, std::size_t at) {
    std::string line = text.line(at);
    auto doing = parse_doing(line);
    std::size_t taken = 1;
    for (; !doing && taken < most_wrapped_lines && !text.line(at + taken).starts_with("Doing "); ++taken) {
      line += ' ' + text.line(at + taken);
      doing = parse_doing(line);
    }
    if (!doing)
      return text.error_at(
          at,
          "\"{}\": the line breaks off, expected \"… NUMBER NAME's in SECONDSs\"; delete it, if the run was broken off",
          excerpt(text.line(at)));
    open(text, at);
    if (const SpeedRun* run = open_->find(doing->algorithm); open_->has_table || (run && has_size(*run, doing->bytes)))
      begin(text, at);
    open_->has_doing = true;
    Sample sample;
    sample.bytes = doing->bytes;
    sample.calls = doing->calls;
    sample.seconds = doing->seconds;
    sample.has_seconds = true;
    sample.planned_seconds = doing->planned_seconds;
    sample.line = text.place(at).line;
    insert(open_->find_or_add(doing->algorithm, text.place(at)), sample);
    return taken;
  }

  Result<std::size_t> take_head(const Text& text, std::size_t at) {
    std::vector<std::size_t> sizes = parse_head(text.line(at));
    if (sizes.empty()) return 0;
    std::size_t taken = 1;
    for (; taken < most_wrapped_lines && !text.line(at + taken).empty(); ++taken) {
      const auto more = parse_more_head(text.line(at + taken));
      if (more.empty() && text.line(at + taken) != "bytes") break;
      sizes.insert(sizes.end(), more.begin(), more.end());
    }
    open(text, at);
    if (open_->has_table) begin(text, at);
    sizes_ = std::move(sizes);
    return taken;
  }

  Result<std::size_t> take_row(const Text& text, std::size_t at) {
    Row row = parse_row(text.line(at));
    if (row.algorithm.empty() || row.rates.empty()) return 0;
    std::size_t taken = 1;
    for (; row.rates.size() < sizes_.size() && taken < most_wrapped_lines; ++taken) {
      const Row more = parse_row(text.line(at + taken));
      if (!more.algorithm.empty() || more.rates.empty()) break;
      row.rates.insert(row.rates.end(), more.rates.begin(), more.rates.end());
    }
    if (row.rates.size() != sizes_.size())
      return text.error_at(at, "\"{}\": {} rates under {} sizes", excerpt(text.line(at)), row.rates.size(),
                           sizes_.size());
    open_->has_table = true;
    set_rates(open_->find_or_add(row.algorithm, text.place(at)), row.rates, text.place(at).line);
    return taken;
  }

  void set_rates(SpeedRun& run, const std::vector<double>& rates, std::size_t line) {
    for (std::size_t i = 0; i < rates.size() && i < sizes_.size(); ++i)
      sample_of(run, sizes_[i], line).bytes_per_second = rates[i];
  }

  Result<std::size_t> take_machine_line(const MachineLine& line, const Text& text, std::size_t at) {
    const auto broken = [&] { return text.error_at(at, "\"{}\": no line of -mr can end so", excerpt(text.line(at))); };
    open(text, at);
    if (line.child) open_->said.processes = std::max(open_->said.processes, *line.child + 1);
    const std::vector<std::string>& fields = line.fields;
    if (line.kind == "DT") return take_announcement(fields, text, at) ? Result<std::size_t>(1) : broken();
    if (line.kind == "R") return take_result(fields, text, at) ? Result<std::size_t>(1) : broken();
    if (line.kind == "H") {
      std::vector<std::size_t> sizes;
      for (const std::string& field : fields) {
        const auto size = parse_size(field);
        if (!size) return broken();
        sizes.push_back(*size);
      }
      sizes_ = std::move(sizes);
      return 1;
    }
    return take_rates(line, text, at) ? Result<std::size_t>(1) : broken();
  }

  /// "+DT:aes-128 cbc:3:16"
  bool take_announcement(const std::vector<std::string>& fields, const Text& text, std::size_t at) {
    if (fields.size() != 3) return true;  // a public-key algorithm's
    const auto planned = parse_decimal(fields[1]);
    const auto bytes = parse_size(fields[2]);
    if (!planned || !bytes) return false;
    // Twice without a result between: two processes write at the same time.
    if (pending_) open_->several_processes = true;
    if (open_->several_processes) return true;  // which result belongs to which of them is not told
    const SpeedRun* run = open_->find(fields[0]);
    if (open_->has_table || (run && has_size(*run, *bytes))) begin(text, at);
    pending_.emplace();
    pending_->bytes = *bytes;
    pending_->planned_seconds = *planned;
    return true;
  }

  /// "+R:258865:aes-128 cbc:3.010000"
  bool take_result(const std::vector<std::string>& fields, const Text& text, std::size_t at) {
    if (fields.size() != 3 || !pending_ || open_->several_processes) return true;
    const auto calls = parse_decimal(fields[0]);
    const auto seconds = parse_decimal(fields[2]);
    if (!calls || !seconds) return false;
    pending_->calls = *calls;
    pending_->seconds = *seconds;
    pending_->has_seconds = true;
    pending_->line = text.place(at).line;
    insert(open_->find_or_add(fields[1], text.place(at)), *pending_);
    pending_.reset();
    return true;
  }

  /// "+F:25:aes-128 cbc:1378200.00:…", in bytes a second; of each process, or of all.
  bool take_rates(const MachineLine& line, const Text& text, std::size_t at) {
    if (line.fields.size() < 3 || line.fields.size() - 2 != sizes_.size()) return sizes_.empty();
    std::vector<double> rates;
    for (std::size_t i = 2; i < line.fields.size(); ++i) {
      const auto rate = parse_decimal(line.fields[i]);
      if (!rate && line.fields[i] != "inf" && line.fields[i] != "nan" && line.fields[i] != "-nan") return false;
      rates.push_back(rate.value_or(0));
    }
    SpeedRun& run = open_->find_or_add(line.fields[1], text.place(at));
    if (line.child) {
      if (*line.child == 0) run.samples.clear();  // figures of one process among several
      for (std::size_t i = 0; i < rates.size(); ++i)
        sample_of(run, sizes_[i], text.place(at).line).bytes_per_second += rates[i];
      return true;
    }
    open_->has_table = true;
    set_rates(run, rates, text.place(at).line);
    return true;
  }

  std::optional<OpensslSession> open_;
  std::vector<OpensslSession> closed_;
  std::vector<std::size_t> sizes_;  // of the table's head, or of +H
  std::optional<Sample> pending_;   // announced by +DT
};

}  // namespace

std::unique_ptr<LineReader> openssl_reader() { return std::make_unique<OpensslReader>(); }

}  // namespace aesgate::explain
