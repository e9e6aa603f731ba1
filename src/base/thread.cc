#include "base/thread.h"

#include <ctime>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/cpu.h"
#include "base/error.h"

namespace tandem {
namespace {

std::optional<cpu_set_t> affinity_of_this_thread() {
  cpu_set_t affinity;
  if (sched_getaffinity(0, sizeof affinity, &affinity) != 0) return std::nullopt;
  return affinity;
}

double cpu_seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

ThreadPool::ThreadPool(int threads, std::span<const std::vector<int>> cpus) {
  TANDEM_CHECK(threads >= 1, "a pool of {} threads", threads);
  TANDEM_CHECK(cpus.empty() || std::ssize(cpus) == threads, "CPUs of {} threads for {}",
               cpus.size(), threads);
  if (!cpus.empty()) affinity_of_maker_ = affinity_of_this_thread();
  for (int worker = 1; worker < threads; ++worker) {
    const std::vector<int> own =
        affinity_of_maker_ ? cpus[static_cast<std::size_t>(worker)] : std::vector<int>();
    try {
      workers_.emplace_back([this, worker, own] {
        if (!own.empty()) run_on(own);
        work(worker);
      });
    } catch (const std::system_error& error) {
      stop();
      throw MachineError("{} threads were asked for, {} could be started: {}; use fewer --threads",
                         threads, worker, error.what());
    }
  }
  // Last, since the others inherit the maker's affinity and keep it where they can't be pinned.
  if (affinity_of_maker_) run_on(cpus.front());
}

ThreadPool::~ThreadPool() {
  stop();
  if (affinity_of_maker_) sched_setaffinity(0, sizeof *affinity_of_maker_, &*affinity_of_maker_);
}

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(std::int64_t tasks, const Body& body) {
  TANDEM_CHECK(busy_ == 0, "a task ran the pool it runs on");
  body_ = &body;
  tasks_ = tasks;
  next_task_.store(0);
  if (!workers_.empty() && tasks > 1) {
    {
      const std::lock_guard lock(mutex_);
      busy_ = static_cast<int>(workers_.size());
      ++round_;
    }
    start_.notify_all();
    take_tasks(0);
    std::unique_lock lock(mutex_);
    finish_.wait(lock, [this] { return busy_ == 0; });
  } else {
    take_tasks(0);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::work(int worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    start_.wait(lock, [&] { return stopping_ || round_ != seen; });
    if (stopping_) return;
    seen = round_;
    lock.unlock();
    take_tasks(worker);
    lock.lock();
    if (--busy_ == 0) finish_.notify_one();
  }
}

void ThreadPool::take_tasks(int worker) {
  try {
    while (true) {
      const std::int64_t task = next_task_.fetch_add(1, std::memory_order_relaxed);
      if (task >= tasks_) return;
      (*body_)(task, worker);
    }
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_task_.store(tasks_);
  }
}

BackgroundThread::BackgroundThread(std::function<void()> body) {
  try {
    thread_ = std::thread(std::move(body));
  } catch (const std::system_error& error) {
    throw MachineError("a thread could not be started: {}; see `ulimit -u`", error.what());
  }
}

BackgroundThread::~BackgroundThread() { thread_.join(); }

double thread_cpu_seconds() { return cpu_seconds(CLOCK_THREAD_CPUTIME_ID); }

double process_cpu_seconds() { return cpu_seconds(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace tandem
