#pragma once
// The program's one pool of compute threads. Made once, kept for the whole run.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <sched.h>

namespace tandem {

// Runs numbered tasks on a fixed set of threads, of which the caller is one. Which thread takes
// which task is left to chance; what a task computes must depend on its number alone. That makes
// results independent of the number of threads. The pool is made, run and destroyed by one thread,
// which is worker 0.
class ThreadPool {
 public:
  // `threads` >= 1, the caller included. Worker i runs on the CPUs cpus[i] alone, where the system
  // allows it; with no `cpus` none is pinned. Worker 0 stays on its CPUs until the pool is
  // destroyed, and any thread that it starts otherwise inherits them. Throws MachineError when the
  // threads can't be started.
  explicit ThreadPool(int threads, std::span<const std::vector<int>> cpus = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // body(task, worker) for each task in [0, tasks); worker is in [0, size()) and no two calls that
  // run at the same time have the same one. Returns when all are done; the first exception that a
  // task threw is thrown again here. Not reentrant.
  using Body = std::function<void(std::int64_t task, int worker)>;
  void run(std::int64_t tasks, const Body& body);

 private:
  void stop();
  void work(int worker);
  void take_tasks(int worker);

  std::vector<std::thread> workers_;
  std::optional<cpu_set_t> affinity_of_maker_;  // before it was pinned
  std::mutex mutex_;
  std::condition_variable start_, finish_;
  std::uint64_t round_ = 0;  // guarded by mutex_, as are the next two
  int busy_ = 0;
  bool stopping_ = false;
  const Body* body_ = nullptr;  // written before a round starts
  std::int64_t tasks_ = 0;
  std::atomic<std::int64_t> next_task_{0};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

// A thread for work that goes on beside computing: communication, writing, polling.
class BackgroundThread {
 public:
  // Throws MachineError when it can't be started.
  explicit BackgroundThread(std::function<void()> body);
  // Waits for the body, which must end by itself.
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

 private:
  std::thread thread_;
};

// CPU time in seconds: of the calling thread, and of all of the process together.
double thread_cpu_seconds();
double process_cpu_seconds();

}  // namespace tandem
