#include "train/gradient_reducer.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

#include "base/error.h"
#include "train/piece_exchange.h"
#include "train/row_exchange.h"

namespace tandem {

// One step's communication, on the communicating thread.
class GradientReducer::Run {
 public:
  virtual ~Run() = default;
  // Returns the bytes that this rank sent.
  virtual std::int64_t reduce(GradientReducer& owner, const std::vector<std::int32_t>& ids) = 0;
};

template <class W>
class GradientReducer::TypedRun : public Run {
 public:
  TypedRun(Communicator& communicator, const kernels::Table& kernels, const ParamTable& table,
           std::span<float> gradients, const ReducerOptions& options)
      : options_(options),
        dense_(gradients.first(static_cast<std::size_t>(table.all().back().slice.offset))),
        words_(Gradients{gradients}.matrix(table.all().back().slice)),
        rows_(communicator, kernels) {
    // A piece is exchanged while others before it are gathered: twice as many are in work.
    for (int i = 0; i < 2 * options.pieces_in_flight; ++i) {
      exchanges_.emplace_back(communicator, kernels, options.piece_floats);
    }
  }

  // All ranks start their operations in this order: the exchange of piece i, then the gathering of
  // piece i + 1 - pieces_in_flight.
  std::int64_t reduce(GradientReducer& owner, const std::vector<std::int32_t>& ids) override {
    const Wait wait = [&](PendingOperation& operation, const std::string& what) {
      wait_for(operation, what, options_.deadline, owner.stopping_);
    };
    rows_.share_rows(ids, wait);
    const auto floats = static_cast<std::int64_t>(dense_.size());
    const std::int64_t pieces = (floats + options_.piece_floats - 1) / options_.piece_floats;
    std::int64_t bytes = 0;
    for (std::int64_t i = 0; i < pieces + options_.pieces_in_flight - 1; ++i) {
      if (i < pieces) bytes += exchange(owner, i, wait);
      const std::int64_t before = i + 1 - options_.pieces_in_flight;
      if (before >= 0) gather(before, wait);
    }
    while (!gathering_.empty()) finish_oldest(wait);
    wait_until_ready(owner, owner.floats_);
    rows_.sum(words_, wait);
    return bytes + rows_.bytes_sent(words_.cols);
  }

 private:
  PieceExchange<W>& exchange_of(std::int64_t piece) {
    return exchanges_[static_cast<std::size_t>(piece) % exchanges_.size()];
  }

  std::int64_t exchange(GradientReducer& owner, std::int64_t piece, const Wait& wait) {
    const std::int64_t begin = piece * options_.piece_floats;
    const std::int64_t end =
        std::min(begin + options_.piece_floats, static_cast<std::int64_t>(dense_.size()));
    wait_until_ready(owner, end);
    while (std::ssize(gathering_) >= options_.pieces_in_flight) finish_oldest(wait);
    exchange_of(piece).start(
        dense_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    exchanging_.push_back(piece);
    return exchange_of(piece).bytes_sent(end - begin);
  }

  void gather(std::int64_t piece, const Wait& wait) {
    wait(exchange_of(piece).pending(), "gradients");
    exchanging_.pop_front();
    exchange_of(piece).start_gather();
    gathering_.push_back(piece);
  }

  void finish_oldest(const Wait& wait) {
    wait(exchange_of(gathering_.front()).pending(), "sums of gradients");
    exchange_of(gathering_.front()).finish();
    gathering_.pop_front();
  }

  // What is under way goes on meanwhile: the library moves it only when it is asked.
  void wait_until_ready(GradientReducer& owner, std::int64_t floats) {
    constexpr std::chrono::microseconds kPause{1000};
    std::unique_lock lock(owner.mutex_);
    while (owner.ready_floats_ < floats) {
      if (owner.stopping_) throw PeerError("communication was given up in the middle of a step");
      if (exchanging_.empty() && gathering_.empty()) {
        owner.changed_.wait(lock);
        continue;
      }
      lock.unlock();
      // Asking one that isn't done moves all of them on.
      const auto one_is_under_way = [&](const std::deque<std::int64_t>& pieces) {
        return !std::ranges::all_of(pieces,
                                    [&](std::int64_t piece) { return exchange_of(piece).done(); });
      };
      if (!one_is_under_way(exchanging_)) one_is_under_way(gathering_);
      lock.lock();
      owner.changed_.wait_for(lock, kPause);
    }
  }

  ReducerOptions options_;
  std::span<float> dense_;
  Matrix<float> words_;
  std::vector<PieceExchange<W>> exchanges_;
  std::deque<std::int64_t> exchanging_, gathering_;  // pieces
  RowExchange<W> rows_;
};

GradientReducer::GradientReducer(Communicator& communicator, const kernels::Table& kernels,
                                 const ParamTable& table, std::span<float> gradients,
                                 const ReducerOptions& options)
    : floats_(table.floats()) {
  TANDEM_CHECK(table.all().back().name == "embeddings.word", "the last parameter is {}",
               table.all().back().name);
  if (options.wire == WireType::kFp32) {
    run_ = std::make_unique<TypedRun<float>>(communicator, kernels, table, gradients, options);
  } else {
    run_ = std::make_unique<TypedRun<BFloat16>>(communicator, kernels, table, gradients, options);
  }
  thread_ = std::make_unique<BackgroundThread>([this] { communicate(); });
}

GradientReducer::~GradientReducer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_.store(true);
  }
  changed_.notify_all();
}

std::int64_t GradientReducer::planned_bytes(const ReducerOptions& options) {
  // Of each piece under way: what is sent, what comes in, its sum, and that of all ranks.
  constexpr std::int64_t kCopies = 4;
  return 2 * options.pieces_in_flight * kCopies * options.piece_floats *
         static_cast<std::int64_t>(sizeof(float));
}

void GradientReducer::begin(std::vector<std::int32_t> ids) {
  {
    const std::lock_guard lock(mutex_);
    TANDEM_CHECK(!step_open_, "a step began before the last one was finished");
    ids_ = std::move(ids);
    ready_floats_ = 0;
    step_open_ = true;
  }
  changed_.notify_all();
}

void GradientReducer::ready(std::int64_t floats) {
  {
    const std::lock_guard lock(mutex_);
    ready_floats_ = floats;
  }
  changed_.notify_all();
}

ReducerStatistics GradientReducer::finish() {
  const auto start = std::chrono::steady_clock::now();
  ready(floats_);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !step_open_; });
  if (failure_) std::rethrow_exception(failure_);
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  statistics_.exposed_seconds = waited.count();
  return statistics_;
}

void GradientReducer::communicate() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || (step_open_ && !failure_); });
    if (stopping_) return;
    const std::vector<std::int32_t> ids = std::move(ids_);
    lock.unlock();
    const double cpu_before = thread_cpu_seconds();
    std::exception_ptr failure;
    std::int64_t bytes = 0;
    try {
      bytes = run_->reduce(*this, ids);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    statistics_ = {.exposed_seconds = 0,
                   .cpu_seconds = thread_cpu_seconds() - cpu_before,
                   .bytes_sent = bytes};
    step_open_ = false;
    lock.unlock();
    changed_.notify_all();
  }
}

}  // namespace tandem
