#include "train/piece_exchange.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/error.h"

namespace tandem {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const T* data, std::int64_t count) {
  return std::as_bytes(std::span(data, static_cast<std::size_t>(count)));
}

template <class T>
std::span<std::byte> writable_bytes_of(T* data, std::int64_t count) {
  return std::as_writable_bytes(std::span(data, static_cast<std::size_t>(count)));
}

// The largest part of a piece; parts start at multiples of 64 bytes of fp32.
std::int64_t floats_of_a_part(std::int64_t piece, int ranks) {
  constexpr std::int64_t kMultiple = 16;
  const std::int64_t share = (piece + ranks - 1) / ranks;
  return (share + kMultiple - 1) / kMultiple * kMultiple;
}

}  // namespace

template <class W>
PieceExchange<W>::PieceExchange(Communicator& communicator, const kernels::Table& kernels,
                                std::int64_t largest_piece)
    : communicator_(communicator), kernels_(kernels) {
  const auto piece = static_cast<std::size_t>(largest_piece);
  const auto part = static_cast<std::size_t>(floats_of_a_part(largest_piece, communicator.size()));
  incoming_.resize(part * static_cast<std::size_t>(communicator.size()));
  if constexpr (!std::is_same_v<W, float>) {
    outgoing_.resize(piece);
    gathered_.resize(piece);
  }
}

template <class W>
std::span<float> PieceExchange<W>::part_of(int rank) const {
  const auto size = static_cast<std::int64_t>(piece_.size());
  const std::int64_t part = floats_of_a_part(size, communicator_.size());
  const std::int64_t begin = std::min(size, rank * part);
  const std::int64_t end = std::min(size, begin + part);
  return piece_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

template <class W>
std::vector<std::int64_t> PieceExchange<W>::bytes_of_parts() const {
  std::vector<std::int64_t> sizes;
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    sizes.push_back(static_cast<std::int64_t>(part_of(rank).size() * sizeof(W)));
  }
  return sizes;
}

template <class W>
std::int64_t PieceExchange<W>::bytes_sent(std::int64_t floats) const {
  const std::int64_t others = communicator_.size() - 1;
  return 2 * floats * others / communicator_.size() * static_cast<std::int64_t>(sizeof(W));
}

template <class W>
void PieceExchange<W>::start(std::span<float> piece) {
  piece_ = piece;
  const auto size = static_cast<std::int64_t>(piece.size());
  const std::vector<std::int64_t> send_sizes = bytes_of_parts();
  const auto own = static_cast<std::int64_t>(part_of(communicator_.rank()).size());
  const std::vector<std::int64_t> receive_sizes(send_sizes.size(),
                                                own * static_cast<std::int64_t>(sizeof(W)));
  std::span<const std::byte> send;
  if constexpr (std::is_same_v<W, float>) {
    send = bytes_of(piece.data(), size);
  } else {
    for_each_other([&](int rank) {
      const std::span<const float> part = part_of(rank);
      to_wire(kernels_, part, outgoing_.data() + (part.data() - piece.data()));
    });
    send = bytes_of(outgoing_.data(), size);
  }
  pending_ = communicator_.start_all_to_all(
      send, send_sizes, writable_bytes_of(incoming_.data(), own * communicator_.size()),
      receive_sizes);
}

template <class W>
void PieceExchange<W>::sum_up(W* sum) {
  // A few kilobytes at a time stay in the first-level cache: other threads compute meanwhile, and
  // need the memory.
  constexpr std::size_t kBlock = 2048;
  std::array<float, kBlock> block;
  const std::span<float> own = part_of(communicator_.rank());
  for (std::size_t begin = 0; begin < own.size(); begin += kBlock) {
    const std::span<float> values = own.subspan(begin, std::min(kBlock, own.size() - begin));
    const std::span<float> total = std::span(block).first(values.size());
    std::ranges::fill(total, 0.0F);
    for (int rank = 0; rank < communicator_.size(); ++rank) {
      // This rank's own values need not be rounded.
      if (rank == communicator_.rank()) {
        add_wire<float>(kernels_, values.data(), total);
      } else {
        const std::size_t of_rank = static_cast<std::size_t>(rank) * own.size();
        add_wire<W>(kernels_, incoming_.data() + of_rank + begin, total);
      }
    }
    to_wire(kernels_, total, sum + begin);
    if constexpr (!std::is_same_v<W, float>) from_wire(kernels_, sum + begin, values);
  }
}

template <class W>
void PieceExchange<W>::start_gather() {
  const std::span<float> own = part_of(communicator_.rank());
  W* all;
  if constexpr (std::is_same_v<W, float>) {
    all = piece_.data();
  } else {
    all = gathered_.data();
  }
  W* const sum = all + (own.data() - piece_.data());
  sum_up(sum);
  pending_ = communicator_.start_all_gather(
      bytes_of(sum, static_cast<std::int64_t>(own.size())),
      writable_bytes_of(all, static_cast<std::int64_t>(piece_.size())), bytes_of_parts());
}

template <class W>
void PieceExchange<W>::finish() {
  if constexpr (!std::is_same_v<W, float>) {
    for_each_other([&](int rank) {
      const std::span<float> part = part_of(rank);
      from_wire(kernels_, gathered_.data() + (part.data() - piece_.data()), part);
    });
  }
  pending_.reset();
}

template class PieceExchange<float>;
template class PieceExchange<BFloat16>;

}  // namespace tandem
