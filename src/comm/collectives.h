#pragma once
// Operations that wait, made of those of a Communicator.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "comm/communicator.h"

namespace tandem {

// How long a rank waits for the others before it gives the job up.
using Deadline = std::chrono::milliseconds;
inline constexpr Deadline kUsualDeadline{60'000};

// Waits in short sleeps, not spinning, so that computing threads keep the cores. Throws PeerError
// that says `what` was waited for when the deadline passes.
void wait_for(PendingOperation& operation, const std::string& what,
              Deadline deadline = kUsualDeadline);
// The same, given up with a PeerError as soon as `cancelled` is set.
void wait_for(PendingOperation& operation, const std::string& what, Deadline deadline,
              const std::atomic<bool>& cancelled);

// The root's bytes become everyone's, however many they are; as many on every rank.
void broadcast(Communicator&, std::span<std::byte> data, int root, const std::string& what,
               Deadline deadline = kUsualDeadline);
// The root's text on every rank.
std::string broadcast_text(Communicator&, const std::string& text, int root,
                           const std::string& what, Deadline deadline = kUsualDeadline);
// Every rank's value, in rank order, on every rank.
template <class T>
std::vector<T> all_gather_values(Communicator& communicator, const T& value,
                                 const std::string& what, Deadline deadline = kUsualDeadline) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(communicator.size()));
  const std::vector<std::int64_t> sizes(all.size(), sizeof(T));
  const Pending pending = communicator.start_all_gather(
      std::as_bytes(std::span(&value, 1)), std::as_writable_bytes(std::span(all)), sizes);
  wait_for(*pending, what, deadline);
  return all;
}
// Every rank's text, in rank order, on every rank.
std::vector<std::string> all_gather_texts(Communicator&, const std::string& text,
                                          const std::string& what,
                                          Deadline deadline = kUsualDeadline);
// Returns once every rank has called it.
void barrier(Communicator&, const std::string& what, Deadline deadline = kUsualDeadline);

}  // namespace tandem
