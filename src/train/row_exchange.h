#pragma once
// The sum over all ranks of a gradient of which each rank touches a few rows only: the word
// embedding's.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "kernels/table.h"
#include "tensor/matrix.h"
#include "train/wire.h"

namespace tandem {

// Waits for an operation; `what` is for messages.
using Wait = std::function<void(PendingOperation&, const std::string& what)>;

// Only rows that some rank touches are sent: those of MRPC's batches are a few hundred of 29,000.
// Each touched row is owned by one rank, which adds up what it is sent in rank order and sends the
// sum, as W, to all, as PieceExchange does.
template <class W>
class RowExchange {
 public:
  RowExchange(Communicator& communicator, const kernels::Table& kernels)
      : communicator_(communicator), kernels_(kernels) {}

  // Tells all ranks which rows this one touches, in any order and as often as they come, and waits
  // until it knows theirs.
  void share_rows(std::span<const std::int32_t> rows, const Wait& wait);
  // The rows of `gradient` that any rank touches become the sums over all ranks. Waits.
  void sum(Matrix<float> gradient, const Wait& wait);
  // What sum() makes this rank send.
  std::int64_t bytes_sent(std::int64_t width) const;

 private:
  struct Range {
    std::size_t begin, end;  // of all_rows_
  };
  Range owned_by(int rank) const;
  // Those of a rank's rows that are in a range of all_rows_.
  std::span<const std::int32_t> rows_within(int rank, Range range) const;

  Communicator& communicator_;
  const kernels::Table& kernels_;
  std::vector<std::vector<std::int32_t>> rows_of_rank_;  // ascending
  std::vector<std::int32_t> all_rows_;                   // those of any rank, ascending
};

}  // namespace tandem
