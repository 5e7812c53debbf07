#include "props/constant_time/memcheck_job.h"

#include <span>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif

#include <fmt/format.h>

#include "props/constant_time/message.h"

namespace aesgate::constant_time {

#if defined(VALGRIND_MAKE_MEM_UNDEFINED)
namespace {

// A client request is an expression of which a build without valgrind has no use.
void mark_secret(std::span<std::uint8_t> bytes) { (void)VALGRIND_MAKE_MEM_UNDEFINED(bytes.data(), bytes.size()); }
void mark_known(std::span<std::uint8_t> bytes) { (void)VALGRIND_MAKE_MEM_DEFINED(bytes.data(), bytes.size()); }

Status run_marked(const Job& job, const aesgate_backend& backend, const Shape& shape,
                  const std::vector<std::size_t>& calls) {
  Message message(backend, shape, calls);
  message.set(make_secrets(shape, message.text().size(), job.seed, 2));
  mark_secret(message.key());
  if (job.secret_text) mark_secret(message.text());
  const Status status = message.run();
  for (const auto bytes : {message.key(), message.text(), message.output()}) mark_known(bytes);
  return status;
}

}  // namespace

std::string why_no_memcheck() { return {}; }

ShapeAnswer check_with_memcheck(const Job& job, const aesgate_backend& backend, std::size_t number) {
  ShapeAnswer answer;
  answer.shape = number;
  if (RUNNING_ON_VALGRIND == 0) {
    answer.reason = "valgrind does not run this process";
    return answer;
  }
  const Shape& shape = all_shapes()[number];
  const unsigned before = VALGRIND_COUNT_ERRORS;
  for (const auto& calls :
       {short_calls(shape), job.short_calls_only ? std::vector<std::size_t>() : long_calls(shape)}) {
    if (calls.empty()) continue;
    if (const Status status = run_marked(job, backend, shape, calls); status != Status::ok) {
      answer.reason = fmt::format("the backend answered \"{}\"", name(status));
      return answer;
    }
  }
  answer.state = VALGRIND_COUNT_ERRORS == before ? ShapeAnswer::State::clean : ShapeAnswer::State::leaks;
  return answer;
}

#else

std::string why_no_memcheck() { return "this build was made without valgrind's header valgrind/memcheck.h"; }

ShapeAnswer check_with_memcheck(const Job&, const aesgate_backend&, std::size_t number) {
  ShapeAnswer answer;
  answer.shape = number;
  answer.reason = why_no_memcheck();
  return answer;
}

#endif

}  // namespace aesgate::constant_time
