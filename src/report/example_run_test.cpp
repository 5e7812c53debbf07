#include "report/example_run_test.h"

#include <atomic>

#include <unistd.h>

namespace aesgate {
namespace {

constexpr Shape ecb{Mode::ecb, Direction::encrypt, KeySize::bits128};
constexpr Shape cbc{Mode::cbc, Direction::decrypt, KeySize::bits256};
constexpr Shape cbc_192{Mode::cbc, Direction::decrypt, KeySize::bits192};

Case example_case(const Shape& shape) {
  Case c = make_case(shape, Key(shape.key_size), Block{}, Bytes(32), 32);
  c.origin = "example.rsp:7 DECRYPT COUNT=1";
  return c;
}

std::filesystem::path fresh_folder() {
  static std::atomic<unsigned> count = 0;
  return std::filesystem::temp_directory_path() / fmt::format("aesgate_report_{}_{}", getpid(), count++);
}

}  // namespace

ExampleRun::ExampleRun() : folder(fresh_folder()), record(folder) {
  summary.command = "verify";
  summary.host = {"Example CPU", "x86_64", "Linux 6.1", "clang 14", 2, "aes", {}};
  summary.plan.modes = {Mode::ecb, Mode::cbc};
  summary.plan.seed = 42;
  summary.stages = {{"kat", {Suite::cavp, Suite::monte_carlo}}, {"fuzz", {Suite::random}}};
  summary.backends = {{&alpha, ""}, {&beta, ""}, {&gamma, why_gamma}};
  summary.seconds = 1.25;
  summary.seconds_of[{"kat", "alpha", Mode::ecb}] = 0.5;

  for (const aesgate_backend* backend : {&alpha, &beta})
    for (int i = 0; i < 1500; ++i) record.judged(Suite::cavp, *backend, example_case(ecb), {});
  for (int i = 0; i < 20; ++i) record.judged(Suite::random, alpha, example_case(cbc), {});
  for (int i = 0; i < 19; ++i) record.judged(Suite::random, beta, example_case(cbc), {});
  record.judged(Suite::random, beta, example_case(cbc),
                {Verdict::mismatch, "output differs from the oracles at byte 17: expected 3a, got 3b",
                 Difference{"output", 17, 0x3a, 0x3b}});
  record.not_run(Suite::random, beta, cbc_192, Verdict::unsupported, "this backend does not do it");
  for (const Suite suite : summary.suites())
    for (const Mode mode : summary.plan.modes)
      for (const Shape& shape : summary.plan.shapes(mode))
        record.not_run(suite, gamma, shape, Verdict::unavailable, why_gamma);
  record.note("a note about the run");
}

ExampleRun::~ExampleRun() { std::filesystem::remove_all(folder); }

aesgate_backend ExampleRun::named(const char* name) {
  aesgate_backend backend{};
  backend.name = name;
  backend.kind = "software";
  backend.unit = "none";
  return backend;
}

}  // namespace aesgate
