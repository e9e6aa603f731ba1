#include "base/file_lock.h"

#include <cerrno>
#include <thread>

#include <sys/file.h>

#include "base/interrupt.h"

namespace tandem {

bool wait_for_lock(const FileDescriptor& descriptor,
                   const std::function<void(std::chrono::duration<double> waited)>& waiting) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  while (flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EACCES && errno != EINTR) return false;
    throw_if_interrupted("waiting for another process");
    waiting(Clock::now() - start);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

}  // namespace tandem
