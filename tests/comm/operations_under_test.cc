#include "comm/operations_under_test.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "comm/collectives.h"

namespace tandem::testing {
namespace {

using Bytes = std::vector<std::byte>;
using Sizes = std::vector<std::int64_t>;

void expect(bool right, const std::string& what) {
  if (!right) throw std::runtime_error("wrong: " + what);
}

// Bytes that differ for each pair of ranks and have a period that divides no size of packets.
void append_pattern(Bytes& bytes, std::int64_t size, int from, int to) {
  const auto first = static_cast<std::size_t>(from * 31 + to * 7);
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
    bytes.push_back(static_cast<std::byte>((first + i) % 251));
  }
}

// Rank 0 sends nothing to itself, unless it is alone; nobody sends more than 1.5 * `size`.
std::int64_t unequal_size(const Communicator& communicator, std::int64_t size, int from, int to) {
  const int ranks = communicator.size();
  return ranks == 1 ? size : size * (from + 2 * to) / (2 * ranks);
}

// Buffers that live until their operation is done.
struct Exchange {
  Bytes send, receive, expected;
  Sizes send_sizes, receive_sizes;
  Pending operation;

  std::size_t ignored_begin = 0, ignored_end = 0;  // bytes of `receive` that may be anything

  void wait_and_check(const std::string& what) {
    wait_for(*operation, what);
    expect(operation->done(), what + ": done once, not done when asked again");
    const auto ignored = std::span(expected).subspan(ignored_begin, ignored_end - ignored_begin);
    std::ranges::copy(ignored, receive.begin() + static_cast<std::ptrdiff_t>(ignored_begin));
    expect(receive == expected, what);
  }
};

Exchange start_all_to_all(Communicator& communicator, std::int64_t size) {
  Exchange all;
  const int own = communicator.rank();
  for (int other = 0; other < communicator.size(); ++other) {
    if (other == own) all.ignored_begin = all.expected.size();
    all.send_sizes.push_back(unequal_size(communicator, size, own, other));
    append_pattern(all.send, all.send_sizes.back(), own, other);
    all.receive_sizes.push_back(unequal_size(communicator, size, other, own));
    append_pattern(all.expected, all.receive_sizes.back(), other, own);
    if (other == own) all.ignored_end = all.expected.size();
  }
  all.receive.resize(all.expected.size());
  all.operation =
      communicator.start_all_to_all(all.send, all.send_sizes, all.receive, all.receive_sizes);
  return all;
}

// Of what one rank sends to each: from where it is received to, or from elsewhere.
Exchange start_all_gather(Communicator& communicator, std::int64_t size, bool in_place) {
  Exchange all;
  const int own = communicator.rank();
  append_pattern(all.send, unequal_size(communicator, size, own, 0), own, 0);
  std::size_t own_begin = 0;
  for (int other = 0; other < communicator.size(); ++other) {
    if (other == own) own_begin = all.expected.size();
    all.receive_sizes.push_back(unequal_size(communicator, size, other, 0));
    append_pattern(all.expected, all.receive_sizes.back(), other, 0);
  }
  all.receive.resize(all.expected.size());
  std::span<const std::byte> send = all.send;
  if (in_place) {
    std::ranges::copy(send, all.receive.begin() + static_cast<std::ptrdiff_t>(own_begin));
    send = std::span(all.receive).subspan(own_begin, send.size());
  }
  all.operation = communicator.start_all_gather(send, all.receive, all.receive_sizes);
  return all;
}

Exchange start_broadcast(Communicator& communicator, std::int64_t size, int root) {
  Exchange all;
  append_pattern(all.expected, size, root, 0);
  all.receive.resize(all.expected.size());
  if (communicator.rank() == root) all.receive = all.expected;
  all.operation = communicator.start_broadcast(all.receive, root);
  return all;
}

}  // namespace

void check_all_to_all(Communicator& communicator, std::int64_t size) {
  start_all_to_all(communicator, size).wait_and_check(fmt::format("all to all of {}", size));
}

void check_all_gather(Communicator& communicator, std::int64_t size) {
  for (const bool in_place : {false, true}) {
    start_all_gather(communicator, size, in_place)
        .wait_and_check(fmt::format("all gather of {}{}", size, in_place ? " in place" : ""));
  }
}

void check_broadcast(Communicator& communicator, std::int64_t size) {
  for (int root = 0; root < communicator.size(); ++root) {
    start_broadcast(communicator, size, root)
        .wait_and_check(fmt::format("broadcast of {} from {}", size, root));
  }
}

void check_operations_in_flight(Communicator& communicator, std::int64_t size) {
  std::vector<Exchange> exchanges;
  for (int round = 0; round < 4; ++round) {
    exchanges.push_back(start_all_to_all(communicator, size + round));
    exchanges.push_back(start_all_gather(communicator, size + round, round % 2 == 0));
    exchanges.push_back(start_broadcast(communicator, size, round % communicator.size()));
  }
  while (!exchanges.empty()) {
    exchanges.back().wait_and_check(fmt::format("operation {} in flight", exchanges.size()));
    exchanges.pop_back();
  }
}

void check_collectives(Communicator& communicator) {
  const int ranks = communicator.size();
  barrier(communicator, "barrier");
  std::vector<std::string> expected;
  for (int rank = 0; rank < ranks; ++rank) {
    // Rank 0 says nothing.
    expected.push_back(std::string(static_cast<std::size_t>(rank * 1000), 'a') +
                       (rank > 0 ? std::to_string(rank) : ""));
  }
  const std::string& own = expected[static_cast<std::size_t>(communicator.rank())];
  expect(all_gather_texts(communicator, own, "texts") == expected, "texts of all");
  for (int root = 0; root < ranks; ++root) {
    expect(
        broadcast_text(communicator, own, root, "text") == expected[static_cast<std::size_t>(root)],
        "text of one");
  }
  Bytes data;
  const int root = ranks - 1;
  if (communicator.rank() == root) append_pattern(data, 100'000, root, 0);
  data.resize(100'000);
  broadcast(communicator, data, root, "broadcast");
  Bytes root_data;
  append_pattern(root_data, 100'000, root, 0);
  expect(data == root_data, "broadcast");
}

void check_everything(Communicator& communicator, std::int64_t largest) {
  for (const std::int64_t size :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{5}, std::int64_t{1000}, largest}) {
    check_all_to_all(communicator, size);
    check_all_gather(communicator, size);
    check_broadcast(communicator, size);
    check_operations_in_flight(communicator, size);
  }
  check_collectives(communicator);
}

}  // namespace tandem::testing
