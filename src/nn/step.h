#pragma once
// All that a layer may touch beyond its arguments; passed down, never global.

#include <cstdint>
#include <span>

#include "base/thread.h"
#include "kernels/table.h"
#include "nn/dropout.h"
#include "nn/gemm.h"
#include "nn/phase_clock.h"
#include "tensor/arena.h"

namespace tandem {

// What each row of a [R, C] matrix is, and where each sequence's rows start.
struct TokenRows {
  std::span<const std::int32_t> starts;     // [B + 1]
  std::span<const std::int32_t> positions;  // [R], position of the token in its sequence
  std::span<const std::uint32_t> samples;   // [R], data set index of its sequence

  std::int64_t count() const { return static_cast<std::int64_t>(positions.size()); }
  std::int64_t sequences() const { return static_cast<std::int64_t>(starts.size()) - 1; }
  // The row at `begin` and those after it, for the kernels.
  kernels::TokenRows from(std::int64_t begin) const {
    return {samples.data() + begin, positions.data() + begin};
  }
};

// Rows [begin, end) of a matrix, for the kernels.
template <class T>
kernels::Extent extent_of(Matrix<T> matrix, std::int64_t begin, std::int64_t end) {
  return {end - begin, matrix.cols, matrix.stride};
}

// Which tokens a matrix has a row for.
enum class Tokens { kAll, kFirst };

struct BatchLayout {
  TokenRows all;    // [T]: every token
  TokenRows first;  // [B]: each sequence's first

  const TokenRows& rows(Tokens tokens) const { return tokens == Tokens::kAll ? all : first; }
};

class QuantizedWeights;

// Thrown between two layers when what is computed is no longer wanted.
struct StepAbandoned {};

struct Step {
  const kernels::Table& kernels;
  ThreadPool& pool;
  Gemm& gemm;
  Arena& arena;
  Dropout dropout;
  BatchLayout batch;
  // Parameter gradients are added to what is there (a later micro-batch of the same update)
  // instead of overwriting it.
  bool accumulate = false;
  bool backward_follows = true;                 // false in prediction: layers keep nothing for it
  const QuantizedWeights* quantized = nullptr;  // in prediction: maps that have 8-bit weights
  PhaseClock* clock = nullptr;                  // null: nobody asks where the time goes
  bool (*unwanted)() = nullptr;  // asked between layers; null: what is begun is wanted

  // Memory is planned by walking the step with an arena that only counts: then nothing is run.
  bool planning() const { return arena.counting(); }

  // Called between layers. Throws StepAbandoned when the step is unwanted.
  void leave_if_unwanted() const {
    if (unwanted != nullptr && !planning() && unwanted()) throw StepAbandoned();
  }

  void run(std::int64_t tasks, const ThreadPool::Body& body) const {
    if (!planning()) pool.run(tasks, body);
  }
  template <class T, class C>
  void multiply(const Product<T, C>& product, const TileDone<C>& tile_done = {}) const {
    const ArenaScope scope(arena);
    const std::span<float> workspace = arena.vector<float>(gemm.workspace_floats(product));
    if (planning()) return;
    count(product.flops(), product.bytes());
    gemm.multiply(product, workspace, tile_done);
  }
  // What a product comes to, for the clock.
  void count(double flops, double bytes) const {
    if (clock != nullptr && !planning()) clock->count(flops, bytes);
  }
  // What follows belongs to this phase; `elements` of type T are those that it reads and writes
  // outside of products.
  template <class T = float>
  void enter(Phase phase, Pass pass, std::int64_t elements = 0) const {
    if (clock == nullptr || planning()) return;
    clock->enter(phase, pass, static_cast<double>(elements) * sizeof(T));
  }
  // body(begin, end, worker) over blocks of kRowBlock of `rows` rows.
  template <class Body>
  void run_row_blocks(std::int64_t rows, const Body& body) const {
    run((rows + kRowBlock - 1) / kRowBlock, [&](std::int64_t block, int worker) {
      const std::int64_t begin = block * kRowBlock;
      body(begin, begin + kRowBlock < rows ? begin + kRowBlock : rows, worker);
    });
  }

  // Rows that one task of a row-wise kernel takes. Sums over rows are taken within such blocks and
  // then over the blocks in order, whatever the number of threads.
  static constexpr std::int64_t kRowBlock = 32;
};

}  // namespace tandem
