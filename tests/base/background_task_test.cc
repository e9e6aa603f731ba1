#include "base/background_task.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "base/error.h"

namespace tandem {
namespace {

TEST(BackgroundTask, RunsBesideItsCaller) {
  BackgroundTask task;
  std::atomic<bool> may_end{false};
  std::atomic<int> done{0};
  task.start([&] {
    while (!may_end) std::this_thread::yield();
    ++done;
  });
  task.check();
  EXPECT_EQ(done, 0);
  may_end = true;
  task.wait();
  EXPECT_EQ(done, 1);
  task.start([&] { ++done; });
  task.wait();
  task.wait();
  EXPECT_EQ(done, 2);
}

TEST(BackgroundTask, SaysOnceWhatWentWrong) {
  BackgroundTask task;
  task.start([] { throw WallError("no space left"); });
  EXPECT_THROW(task.wait(), WallError);
  EXPECT_NO_THROW(task.wait());
  task.start([] { throw WallError("no space left"); });
  const auto check_until_it_throws = [&] {
    while (true) {
      task.check();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  EXPECT_THROW(check_until_it_throws(), WallError);
  EXPECT_NO_THROW(task.check());
}

}  // namespace
}  // namespace tandem
