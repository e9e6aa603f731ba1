#include "train/row_exchange.h"

#include <algorithm>

namespace tandem {
namespace {

std::vector<std::int32_t> ascending(std::span<const std::int32_t> rows) {
  std::vector<std::int32_t> sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  return sorted;
}

template <class T>
std::vector<T> gather(Communicator& communicator, std::span<const T> mine,
                      const std::vector<std::int64_t>& counts, const Wait& wait) {
  std::vector<std::int64_t> sizes;
  std::int64_t total = 0;
  for (const std::int64_t count : counts) {
    sizes.push_back(count * static_cast<std::int64_t>(sizeof(T)));
    total += count;
  }
  std::vector<T> all(static_cast<std::size_t>(total));
  const Pending pending = communicator.start_all_gather(
      std::as_bytes(mine), std::as_writable_bytes(std::span(all)), sizes);
  wait(*pending, "rows of the word embedding");
  return all;
}

}  // namespace

template <class W>
void RowExchange<W>::share_rows(std::span<const std::int32_t> rows, const Wait& wait) {
  const std::vector<std::int32_t> mine = ascending(rows);
  const auto count = static_cast<std::int64_t>(mine.size());
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(communicator_.size()), 1);
  const std::vector<std::int64_t> counts =
      gather<std::int64_t>(communicator_, std::span(&count, 1), ones, wait);
  const std::vector<std::int32_t> all = gather<std::int32_t>(communicator_, mine, counts, wait);
  rows_of_rank_.clear();
  auto begin = all.begin();
  for (const std::int64_t of_rank : counts) {
    rows_of_rank_.emplace_back(begin, begin + of_rank);
    begin += of_rank;
  }
  all_rows_ = ascending(all);
}

template <class W>
typename RowExchange<W>::Range RowExchange<W>::owned_by(int rank) const {
  const std::size_t rows = all_rows_.size();
  const auto ranks = static_cast<std::size_t>(communicator_.size());
  const auto r = static_cast<std::size_t>(rank);
  return {rows * r / ranks, rows * (r + 1) / ranks};
}

template <class W>
std::span<const std::int32_t> RowExchange<W>::rows_within(int rank, Range range) const {
  const std::vector<std::int32_t>& rows = rows_of_rank_[static_cast<std::size_t>(rank)];
  if (range.begin == range.end) return {};
  const auto first = std::ranges::lower_bound(rows, all_rows_[range.begin]);
  const auto last = std::ranges::upper_bound(rows, all_rows_[range.end - 1]);
  return {first, last};
}

template <class W>
void RowExchange<W>::sum(Matrix<float> gradient, const Wait& wait) {
  const auto width = static_cast<std::size_t>(gradient.cols);
  const auto row_bytes = static_cast<std::int64_t>(width * sizeof(W));
  const int ranks = communicator_.size();
  const int me = communicator_.rank();
  const auto row_of = [&](std::int32_t row) { return std::span(gradient.row(row), width); };

  const std::vector<std::int32_t>& mine = rows_of_rank_[static_cast<std::size_t>(me)];
  std::vector<W> outgoing(mine.size() * width);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    to_wire<W>(kernels_, row_of(mine[i]), outgoing.data() + i * width);
  }
  const Range own = owned_by(me);
  std::vector<std::int64_t> send_sizes;
  std::vector<std::int64_t> receive_sizes;
  std::size_t received_rows = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    send_sizes.push_back(std::ssize(rows_within(me, owned_by(rank))) * row_bytes);
    const std::size_t from_rank = rows_within(rank, own).size();
    receive_sizes.push_back(static_cast<std::int64_t>(from_rank) * row_bytes);
    received_rows += from_rank;
  }
  std::vector<W> incoming(received_rows * width);
  const Pending exchange =
      communicator_.start_all_to_all(std::as_bytes(std::span(outgoing)), send_sizes,
                                     std::as_writable_bytes(std::span(incoming)), receive_sizes);
  wait(*exchange, "gradients of the word embedding");

  std::vector<float> sums((own.end - own.begin) * width);
  const W* next = incoming.data();
  for (int rank = 0; rank < ranks; ++rank) {
    for (const std::int32_t row : rows_within(rank, own)) {
      const auto place =
          static_cast<std::size_t>(std::ranges::lower_bound(all_rows_, row) - all_rows_.begin());
      const auto total = std::span(sums).subspan((place - own.begin) * width, width);
      // This rank's own values aren't sent, so they need not be rounded.
      if (rank == me) {
        add_wire<float>(kernels_, row_of(row).data(), total);
      } else {
        add_wire<W>(kernels_, next, total);
      }
      next += width;
    }
  }
  std::vector<W> rounded(sums.size());
  to_wire<W>(kernels_, sums, rounded.data());
  std::vector<std::int64_t> sizes;
  for (int rank = 0; rank < ranks; ++rank) {
    const Range range = owned_by(rank);
    sizes.push_back(static_cast<std::int64_t>(range.end - range.begin) * row_bytes);
  }
  std::vector<W> all(all_rows_.size() * width);
  const Pending gathered = communicator_.start_all_gather(
      std::as_bytes(std::span(rounded)), std::as_writable_bytes(std::span(all)), sizes);
  wait(*gathered, "gradients of the word embedding");
  for (std::size_t i = 0; i < all_rows_.size(); ++i) {
    from_wire<W>(kernels_, all.data() + i * width, row_of(all_rows_[i]));
  }
}

template <class W>
std::int64_t RowExchange<W>::bytes_sent(std::int64_t width) const {
  const auto mine = std::ssize(rows_of_rank_[static_cast<std::size_t>(communicator_.rank())]);
  const Range own = owned_by(communicator_.rank());
  const auto kept = std::ssize(rows_within(communicator_.rank(), own));
  const auto sums = static_cast<std::int64_t>(own.end - own.begin) * (communicator_.size() - 1);
  return (mine - kept + sums) * width * static_cast<std::int64_t>(sizeof(W));
}

template class RowExchange<float>;
template class RowExchange<BFloat16>;

}  // namespace tandem
