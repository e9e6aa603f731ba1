#include "base/thread.h"

#include <algorithm>
#include <latch>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include "base/cpu.h"

namespace tandem {
namespace {

cpu_set_t affinity() {
  cpu_set_t cpus;
  EXPECT_EQ(sched_getaffinity(0, sizeof cpus, &cpus), 0);
  return cpus;
}

bool same(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b) != 0; }

// body(worker) once on each thread of the pool: no task ends before all have begun.
template <class Body>
void run_on_each_worker(ThreadPool& pool, const Body& body) {
  std::latch all_began(pool.size());
  pool.run(pool.size(), [&](std::int64_t, int worker) {
    all_began.arrive_and_wait();
    body(worker);
  });
}

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

bool holds(const std::vector<int>& cpus, int cpu) {
  return std::ranges::find(cpus, cpu) != cpus.end();
}

TEST(ThreadPool, RunsEachWorkerOnItsCpus) {
  const std::vector<CpuCore> cores = cpu_limits().cores;
  std::vector<int> both = cores.front().cpus;
  if (cores.size() > 1) both.insert(both.end(), cores[1].cpus.begin(), cores[1].cpus.end());
  const std::vector<std::vector<int>> cpus = {cores.back().cpus, both, cores.front().cpus};
  ThreadPool pool(3, cpus);
  for (int round = 0; round < 20; ++round) {
    run_on_each_worker(pool, [&](int worker) {
      const std::vector<int>& own = cpus[static_cast<std::size_t>(worker)];
      EXPECT_TRUE(holds(own, sched_getcpu()));
      const cpu_set_t allowed = affinity();
      EXPECT_EQ(CPU_COUNT(&allowed), std::ssize(own));
      for (const int cpu : own) EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(cpu), &allowed));
    });
  }
}

TEST(ThreadPool, GivesTheMakerItsAffinityBack) {
  const cpu_set_t before = affinity();
  const std::vector<int> cpus = cpu_limits().cores.back().cpus;
  {
    const ThreadPool pool(1, std::vector<std::vector<int>>{cpus});
    EXPECT_TRUE(holds(cpus, sched_getcpu()));
  }
  EXPECT_TRUE(same(affinity(), before));
}

TEST(ThreadPool, PinsNothingUnlessAsked) {
  const cpu_set_t before = affinity();
  ThreadPool pool(2);
  run_on_each_worker(pool, [&](int) { EXPECT_TRUE(same(affinity(), before)); });
}

TEST(ThreadPool, LeavesWorkersFreeWhereTheSystemRefuses) {
  const cpu_set_t before = affinity();
  // The last number is more than a set of CPUs can hold.
  for (const int missing : {-1, CPU_SETSIZE - 1, 1 << 20}) {
    ThreadPool pool(2, std::vector<std::vector<int>>(2, {missing}));
    run_on_each_worker(pool, [&](int) { EXPECT_TRUE(same(affinity(), before)); });
  }
}

}  // namespace
}  // namespace tandem
