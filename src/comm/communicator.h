#pragma once
// Ranks and bytes: what the processes of one job say to each other. Nothing here knows what the
// bytes mean.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tandem {

// An operation that was started. The memory that it was given stays where it is, and is left alone,
// until it is done.
class PendingOperation {
 public:
  // One that isn't done is abandoned: only a process that is about to end may do that.
  virtual ~PendingOperation() = default;
  // Moves the operation on as far as that goes without waiting; whether it is complete.
  virtual bool done() = 0;
};
using Pending = std::unique_ptr<PendingOperation>;

// All processes of the job, each a rank. Every operation is called by all of them, in the same
// order. One thread at a time calls a communicator and what it started. Throws PeerError when the
// library underneath reports a failure.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // For people: the library with its version.
  virtual std::string description() const = 0;

  // Sizes are in bytes, one for each rank; the pieces of a buffer follow each other in rank order
  // and fill it. It has less than 2^31 bytes. Pieces may be empty. Piece r of `send` becomes the
  // piece of rank `rank()` in rank r's `receive`, for every rank but this one: nothing is copied to
  // a rank's own piece, which holds anything afterwards.
  virtual Pending start_all_to_all(std::span<const std::byte> send,
                                   std::span<const std::int64_t> send_sizes,
                                   std::span<std::byte> receive,
                                   std::span<const std::int64_t> receive_sizes) = 0;
  // Rank r's `send` becomes piece r of every rank's `receive`. It may be that piece of its own
  // `receive` already.
  virtual Pending start_all_gather(std::span<const std::byte> send, std::span<std::byte> receive,
                                   std::span<const std::int64_t> receive_sizes) = 0;
  // The root's `data` becomes everyone's; as many bytes on every rank, at most 2^30.
  virtual Pending start_broadcast(std::span<std::byte> data, int root) = 0;

  // Ends all processes of the job with this exit code, as well as the library can.
  [[noreturn]] virtual void abort(int exit_code) = 0;
};

}  // namespace tandem
