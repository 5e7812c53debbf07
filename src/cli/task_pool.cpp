#include "cli/task_pool.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

namespace aesgate {
namespace {

Result<void> run_caught(const std::function<Result<void>()>& task) {
  try {
    return task();
  } catch (const std::bad_alloc&) {
    return error("out of memory");
  } catch (const std::exception& unforeseen) {
    return error("{}", unforeseen.what());
  }
}

}  // namespace

Result<void> run_tasks(const std::vector<std::function<Result<void>()>>& tasks, unsigned threads) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Result<void> result;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      const Result<void> ran = run_caught(tasks[i]);
      if (ran) continue;
      const std::lock_guard lock(mutex);
      if (result) result = ran;
      next = tasks.size();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < threads; ++i) workers.emplace_back(work);
    work();
  }
  return result;
}

}  // namespace aesgate
