#include "nameplate/core/executor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nameplate/core/random.h"

namespace nameplate {
namespace {

std::vector<double> draws(unsigned threads) {
  std::vector<double> results(1000);
  parallel_for(results.size(), threads, [&](std::size_t i) { results[i] = RandomStream(1, i).next_uniform(); });
  return results;
}

TEST(ParallelFor, SameAnswerForAnyThreadCount) {
  EXPECT_EQ(draws(1), draws(2));
  EXPECT_EQ(draws(1), draws(16));
}

TEST(ParallelFor, EachTaskOnce) {
  std::vector<int> calls(10000, 0);
  parallel_for(calls.size(), 8, [&](std::size_t i) { ++calls[i]; });
  EXPECT_EQ(calls, std::vector<int>(10000, 1));
  parallel_for(0, 8, [](std::size_t) { FAIL(); });
  std::vector<std::size_t> order;
  parallel_for(5, 1, [&](std::size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(ThreadExecutor, ResultsInOrderAndThreadsShared) {
  const auto item = [](std::size_t i, unsigned threads) { return std::to_string(i) + "/" + std::to_string(threads); };
  const ThreadExecutor executor;
  EXPECT_EQ(executor.gather(3, 2, item), (std::vector<std::string>{"0/1", "1/1", "2/1"}));
  EXPECT_EQ(executor.gather(1, 4, item), (std::vector<std::string>{"0/4"}));
  EXPECT_TRUE(executor.gather(0, 2, item).empty());
}

TEST(ThreadCount, AtLeastOne) {
  EXPECT_EQ(thread_count(3), 3u);
  EXPECT_GE(thread_count(), 1u);
}

}  // namespace
}  // namespace nameplate
