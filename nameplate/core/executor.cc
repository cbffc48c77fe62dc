#include "nameplate/core/executor.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace nameplate {

unsigned thread_count(int requested) {
  if (requested > 0) return static_cast<unsigned>(requested);
  return std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task) {
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) task(i);
  };
  // The caller works, too, so one thread means none is started.
  std::size_t helpers = std::min<std::size_t>(std::max(threads, 1u), std::max<std::size_t>(count, 1)) - 1;
  std::vector<std::jthread> pool;
  pool.reserve(helpers);
  for (std::size_t i = 0; i < helpers; ++i) pool.emplace_back(work);
  work();
}

std::vector<std::string> ThreadExecutor::gather(std::size_t count, int threads, const Task& task) const {
  const unsigned all = thread_count(threads);
  const auto at_once = static_cast<unsigned>(std::clamp<std::size_t>(count, 1, all));
  std::vector<std::string> results(count);
  parallel_for(count, at_once, [&](std::size_t i) { results[i] = task(i, all / at_once); });
  return results;
}

}  // namespace nameplate
