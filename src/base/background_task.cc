#include "base/background_task.h"

#include <utility>

#include "base/error.h"

namespace tandem {

void BackgroundTask::start(std::function<void()> body) {
  TANDEM_CHECK(thread_ == nullptr, "one piece of work at a time");
  ended_ = false;
  thread_ = std::make_unique<BackgroundThread>([this, body = std::move(body)] {
    try {
      body();
    } catch (...) {
      failure_ = std::current_exception();
    }
    ended_ = true;
  });
}

void BackgroundTask::wait() {
  thread_.reset();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void BackgroundTask::check() {
  if (thread_ != nullptr && ended_) wait();
}

}  // namespace tandem
