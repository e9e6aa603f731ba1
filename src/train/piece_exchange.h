#pragma once
// The sum over all ranks of one contiguous piece of the gradients.

#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "kernels/table.h"
#include "train/wire.h"

namespace tandem {

// Each rank owns a part of the piece: all send it theirs, it adds them up in fp32 in rank order,
// and sends the sum, as W, to all (a reduce-scatter and an all-gather, as Rabenseifner 2004 has
// them, each in one step). So every rank gets the same bits, whatever the library does, itself
// included; and sums are rounded once. A rank sends and receives 2 (N - 1) / N of the piece.
template <class W>
class PieceExchange {
 public:
  PieceExchange(Communicator& communicator, const kernels::Table& kernels,
                std::int64_t largest_piece);

  // Sends the owners their parts. The piece is left alone until finish().
  void start(std::span<float> piece);
  // Whether this rank has all that it needs to go on, or to finish.
  bool done() { return pending_->done(); }
  // Comes when start()'s part is done: sums up what this rank owns, and sends it to all.
  void start_gather();
  // Comes when start_gather()'s part is done: the piece then holds the sum.
  void finish();

  PendingOperation& pending() { return *pending_; }
  // What a piece of so many floats makes this rank send.
  std::int64_t bytes_sent(std::int64_t floats) const;

 private:
  std::span<float> part_of(int rank) const;
  std::vector<std::int64_t> bytes_of_parts() const;  // in rank order, as W
  // body(rank) for every rank but this one.
  template <class Body>
  void for_each_other(const Body& body) const {
    for (int rank = 0; rank < communicator_.size(); ++rank) {
      if (rank != communicator_.rank()) body(rank);
    }
  }
  // The sum of this rank's part over all ranks, rounded, in the piece and in `sum`.
  void sum_up(W* sum);

  Communicator& communicator_;
  const kernels::Table& kernels_;
  std::span<float> piece_;
  std::vector<W> outgoing_;  // the piece; with fp32 it is sent from where it lies
  std::vector<W> incoming_;  // this rank's part, of each other rank
  std::vector<W> gathered_;  // the whole sum; with fp32 it is the piece itself
  Pending pending_;
};

}  // namespace tandem
