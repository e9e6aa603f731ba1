#include "base/thread.h"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(ThreadPool, RunsEveryTaskOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (const std::int64_t tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
      pool.run(tasks, [&](std::int64_t task, int worker) {
        ASSERT_GE(worker, 0);
        ASSERT_LT(worker, threads);
        ++runs[static_cast<std::size_t>(task)];
      });
      for (const auto& count : runs) ASSERT_EQ(count.load(), 1);
    }
  }
}

TEST(ThreadPool, ThrowsATasksExceptionAgainAndStaysUsable) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.run(100,
                        [](std::int64_t task, int) {
                          if (task == 40) throw std::runtime_error("task 40");
                        }),
               std::runtime_error);
  std::atomic<int> runs{0};
  pool.run(10, [&](std::int64_t, int) { ++runs; });
  EXPECT_EQ(runs.load(), 10);
}

}  // namespace
}  // namespace tandem
