#include "support/thread_ranks.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tandem {
namespace {

// What one rank hands to an operation.
struct Posting {
  std::vector<std::span<const std::byte>> to;  // for each rank
  std::vector<std::span<std::byte>> from;      // of each rank
};

struct Operation {
  std::string kind;
  std::vector<std::optional<Posting>> postings;  // one for each rank
  bool moved = false;
  int ranks_done = 0;
};

// What the ranks share. Every function may be called by any thread.
class Job {
 public:
  explicit Job(int ranks)
      : ended_(static_cast<std::size_t>(ranks)), told_(static_cast<std::size_t>(ranks)) {}

  int ranks() const { return static_cast<int>(ended_.size()); }
  void post(std::int64_t number, int rank, std::string kind, Posting posting);
  // Whether the operation is complete; a rank asks again only until it is.
  bool done(std::int64_t number, int rank);
  // From now on the others' operations throw.
  void fail(const std::string& reason);
  void end(int rank, std::exception_ptr failure);
  std::exception_ptr first_failure() const { return first_failure_; }

 private:
  static void move(Operation& operation);
  void throw_if_hopeless(const Operation& operation, int rank);

  std::mutex mutex_;  // guards everything below, and what is copied
  std::map<std::int64_t, Operation> operations_;
  std::string failed_;  // why, if so
  std::vector<bool> ended_;
  std::vector<bool> told_;  // ranks that threw because another had failed
  std::exception_ptr first_failure_;
  bool first_was_told_ = false;
};

void Job::post(std::int64_t number, int rank, std::string kind, Posting posting) {
  const std::lock_guard lock(mutex_);
  Operation& operation = operations_[number];
  if (operation.postings.empty()) {
    operation.kind = kind;
    operation.postings.resize(ended_.size());
  }
  TANDEM_CHECK(operation.kind == kind, "operation {}: rank {} starts {}, another {}", number, rank,
               kind, operation.kind);
  operation.postings[static_cast<std::size_t>(rank)] = std::move(posting);
}

void Job::move(Operation& operation) {
  const std::size_t ranks = operation.postings.size();
  for (std::size_t to = 0; to < ranks; ++to) {
    for (std::size_t from = 0; from < ranks; ++from) {
      const std::span<const std::byte> source = operation.postings[from]->to[to];
      const std::span<std::byte> target = operation.postings[to]->from[from];
      TANDEM_CHECK(source.size() == target.size(), "{}: rank {} sends {} bytes, rank {} expects {}",
                   operation.kind, from, source.size(), to, target.size());
      if (!source.empty()) std::memcpy(target.data(), source.data(), source.size());
    }
  }
  operation.moved = true;
}

void Job::throw_if_hopeless(const Operation& operation, int rank) {
  if (!failed_.empty()) {
    told_[static_cast<std::size_t>(rank)] = true;
    throw PeerError("{}: {}", operation.kind, failed_);
  }
  for (std::size_t other = 0; other < ended_.size(); ++other) {
    if (ended_[other] && !operation.postings[other]) {
      throw PeerError("{}: rank {} has ended", operation.kind, other);
    }
  }
}

bool Job::done(std::int64_t number, int rank) {
  const std::lock_guard lock(mutex_);
  // All that can move does, whichever is asked about: ranks may ask in different orders.
  for (auto& [other_number, operation] : operations_) {
    const auto posted = [](const std::optional<Posting>& posting) { return posting.has_value(); };
    if (failed_.empty() && !operation.moved &&
        std::all_of(operation.postings.begin(), operation.postings.end(), posted)) {
      move(operation);
    }
  }
  Operation& operation = operations_.at(number);
  if (!operation.moved) {
    throw_if_hopeless(operation, rank);
    return false;
  }
  if (++operation.ranks_done == ranks()) operations_.erase(number);
  return true;
}

void Job::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (failed_.empty()) failed_ = reason;
}

void Job::end(int rank, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  ended_[static_cast<std::size_t>(rank)] = true;
  if (failure == nullptr) return;
  // A rank that fails tells the others while it unwinds: what they threw may arrive earlier.
  const bool told = told_[static_cast<std::size_t>(rank)];
  if (first_failure_ == nullptr || (first_was_told_ && !told)) {
    first_failure_ = failure;
    first_was_told_ = told;
  }
  if (failed_.empty()) failed_ = fmt::format("rank {} has failed", rank);
}

class JobOperation : public PendingOperation {
 public:
  JobOperation(Job& job, std::int64_t number, int rank) : job_(job), number_(number), rank_(rank) {}
  ~JobOperation() override {
    // Its memory may be gone from here on.
    if (!done_) job_.fail(fmt::format("rank {} abandoned an operation", rank_));
  }
  bool done() override {
    if (!done_) done_ = job_.done(number_, rank_);
    return done_;
  }

 private:
  Job& job_;
  std::int64_t number_;
  int rank_;
  bool done_ = false;
};

template <class Byte>
std::vector<std::span<Byte>> pieces_of(std::span<Byte> buffer,
                                       std::span<const std::int64_t> sizes) {
  TANDEM_CHECK(buffer.size() < std::size_t{1} << 31, "{} bytes", buffer.size());
  std::vector<std::span<Byte>> pieces;
  std::size_t begin = 0;
  for (const std::int64_t size : sizes) {
    TANDEM_CHECK(size >= 0 && begin + static_cast<std::size_t>(size) <= buffer.size(),
                 "a piece of {} bytes at {} of {}", size, begin, buffer.size());
    pieces.push_back(buffer.subspan(begin, static_cast<std::size_t>(size)));
    begin += static_cast<std::size_t>(size);
  }
  TANDEM_CHECK(begin == buffer.size(), "pieces of {} bytes, a buffer of {}", begin, buffer.size());
  return pieces;
}

class ThreadCommunicator : public Communicator {
 public:
  ThreadCommunicator(Job& job, int rank) : job_(job), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return job_.ranks(); }
  std::string description() const override { return "threads of one process"; }

  Pending start_all_to_all(std::span<const std::byte> send,
                           std::span<const std::int64_t> send_sizes, std::span<std::byte> receive,
                           std::span<const std::int64_t> receive_sizes) override {
    Posting posting{pieces_of(send, send_sizes), pieces_of(receive, receive_sizes)};
    const auto own = static_cast<std::size_t>(rank_);
    posting.to.at(own) = posting.to.at(own).first(0);
    posting.from.at(own) = posting.from.at(own).first(0);
    return start("all to all", std::move(posting));
  }

  Pending start_all_gather(std::span<const std::byte> send, std::span<std::byte> receive,
                           std::span<const std::int64_t> receive_sizes) override {
    Posting posting{{ranks(), send}, pieces_of(receive, receive_sizes)};
    const auto own = static_cast<std::size_t>(rank_);
    if (posting.from.at(own).data() == send.data()) {
      posting.to.at(own) = send.first(0);
      posting.from.at(own) = posting.from.at(own).first(0);
    }
    return start("all gather", std::move(posting));
  }

  Pending start_broadcast(std::span<std::byte> data, int root) override {
    TANDEM_CHECK(data.size() <= std::size_t{1} << 30, "{} bytes", data.size());
    Posting posting{std::vector<std::span<const std::byte>>(ranks()),
                    std::vector<std::span<std::byte>>(ranks())};
    if (rank_ == root) {
      for (std::size_t to = 0; to < ranks(); ++to) {
        if (static_cast<int>(to) != root) posting.to[to] = data;
      }
    } else {
      posting.from[static_cast<std::size_t>(root)] = data;
    }
    return start(fmt::format("broadcast from {}", root), std::move(posting));
  }

  [[noreturn]] void abort(int exit_code) override { throw JobAborted(exit_code); }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(job_.ranks()); }

  Pending start(std::string kind, Posting posting) {
    TANDEM_CHECK(posting.to.size() == ranks() && posting.from.size() == ranks(),
                 "{}: sizes for {} and {} ranks, there are {}", kind, posting.to.size(),
                 posting.from.size(), ranks());
    job_.post(next_, rank_, std::move(kind), std::move(posting));
    return std::make_unique<JobOperation>(job_, next_++, rank_);
  }

  Job& job_;
  int rank_;
  std::int64_t next_ = 0;
};

}  // namespace

void run_ranks(int ranks, const std::function<void(Communicator&)>& body) {
  Job job(ranks);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&job, &body, rank] {
      std::exception_ptr failure;
      try {
        ThreadCommunicator communicator(job, rank);
        body(communicator);
      } catch (...) {
        failure = std::current_exception();
      }
      job.end(rank, failure);
    });
  }
  threads.clear();  // joins them
  if (job.first_failure() != nullptr) std::rethrow_exception(job.first_failure());
}

}  // namespace tandem
