#include "comm/collectives.h"

#include <algorithm>
#include <numeric>

#include <sched.h>
#include <time.h>

#include "base/error.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLargestBroadcast = std::size_t{1} << 30;
// A small operation is over within these. A yield gives the core to a computing thread, and costs
// nothing where none waits for it.
constexpr int kYields = 50;
constexpr std::chrono::nanoseconds kShortestSleep{20'000};
constexpr std::chrono::nanoseconds kLongestSleep{500'000};

void sleep_for(std::chrono::nanoseconds time) {
  const timespec request{.tv_sec = 0, .tv_nsec = time.count()};
  nanosleep(&request, nullptr);
}

std::span<std::byte> bytes_of(std::string& text) {
  return std::as_writable_bytes(std::span(text.data(), text.size()));
}

}  // namespace

void wait_for(PendingOperation& operation, const std::string& what, Deadline deadline) {
  wait_for(operation, what, deadline, std::atomic<bool>(false));
}

void wait_for(PendingOperation& operation, const std::string& what, Deadline deadline,
              const std::atomic<bool>& cancelled) {
  for (int yield = 0; yield < kYields; ++yield) {
    if (operation.done()) return;
    sched_yield();
  }
  const Clock::time_point begin = Clock::now();
  std::chrono::nanoseconds sleep = kShortestSleep;
  while (!operation.done()) {
    if (cancelled) throw PeerError("{}: given up, because this process is about to end", what);
    if (Clock::now() - begin >= deadline) {
      throw PeerError(
          "{}: the other processes didn't answer within {:g} s: one has ended, stands still or "
          "can't be reached; see what each of them printed last",
          what, std::chrono::duration<double>(deadline).count());
    }
    sleep_for(sleep);
    sleep = std::min(sleep + sleep / 4, kLongestSleep);
  }
}

void broadcast(Communicator& communicator, std::span<std::byte> data, int root,
               const std::string& what, Deadline deadline) {
  for (std::size_t begin = 0; begin < data.size(); begin += kLargestBroadcast) {
    const std::size_t size = std::min(kLargestBroadcast, data.size() - begin);
    const Pending operation = communicator.start_broadcast(data.subspan(begin, size), root);
    wait_for(*operation, what, deadline);
  }
}

std::string broadcast_text(Communicator& communicator, const std::string& text, int root,
                           const std::string& what, Deadline deadline) {
  std::int64_t size = static_cast<std::int64_t>(text.size());
  broadcast(communicator, std::as_writable_bytes(std::span(&size, 1)), root, what, deadline);
  std::string received = communicator.rank() == root ? text : std::string();
  received.resize(static_cast<std::size_t>(size));
  broadcast(communicator, bytes_of(received), root, what, deadline);
  return received;
}

std::vector<std::string> all_gather_texts(Communicator& communicator, const std::string& text,
                                          const std::string& what, Deadline deadline) {
  const std::vector<std::int64_t> sizes =
      all_gather_values(communicator, static_cast<std::int64_t>(text.size()), what, deadline);

  std::string all;
  all.resize(static_cast<std::size_t>(std::reduce(sizes.begin(), sizes.end())));
  const Pending gathered =
      communicator.start_all_gather(std::as_bytes(std::span(text)), bytes_of(all), sizes);
  wait_for(*gathered, what, deadline);

  std::vector<std::string> texts;
  std::size_t begin = 0;
  for (const std::int64_t size : sizes) {
    texts.push_back(all.substr(begin, static_cast<std::size_t>(size)));
    begin += static_cast<std::size_t>(size);
  }
  return texts;
}

void barrier(Communicator& communicator, const std::string& what, Deadline deadline) {
  // A byte of each: of nothing, nobody would wait for it.
  all_gather_values(communicator, std::byte{}, what, deadline);
}

}  // namespace tandem
