#pragma once
// A job of one process.

#include "comm/communicator.h"

namespace tandem {

// Every operation is done when it is started.
class SelfCommunicator : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string description() const override { return "one process"; }

  Pending start_all_to_all(std::span<const std::byte> send,
                           std::span<const std::int64_t> send_sizes, std::span<std::byte> receive,
                           std::span<const std::int64_t> receive_sizes) override;
  Pending start_all_gather(std::span<const std::byte> send, std::span<std::byte> receive,
                           std::span<const std::int64_t> receive_sizes) override;
  Pending start_broadcast(std::span<std::byte> data, int root) override;

  // Ends this process at once; what was printed is written first.
  [[noreturn]] void abort(int exit_code) override;
};

}  // namespace tandem
