#pragma once
// Matrix products, the bulk of all work: our kernels on tiles that all threads share.

#include <cstdint>
#include <functional>
#include <span>

#include "base/thread.h"
#include "kernels/table.h"
#include "tensor/matrix.h"

namespace tandem {

enum class Transpose { kNo, kYes };

// c = op(a) op(b), or c += with `accumulate`. c is [M, N], op(a) [M, K], op(b) [K, N].
struct Product {
  Matrix<const float> a;
  Transpose a_transpose = Transpose::kNo;
  Matrix<const float> b;
  Transpose b_transpose = Transpose::kNo;
  Matrix<float> c;
  bool accumulate = false;

  std::int64_t inner() const { return a_transpose == Transpose::kNo ? a.cols : a.rows; }
  double flops() const;
  double bytes() const;  // each operand once
};

// Goto and van de Geijn 2008, "Anatomy of High-Performance Matrix Multiplication": op(b) is packed
// in panels of a few columns, which all threads then multiply tiles of c's rows by. Each element
// is summed in the same order whoever computes it, so results have the same bits for any number of
// threads.
class Gemm {
 public:
  Gemm(ThreadPool& pool, const kernels::Table& kernels) : pool_(pool), kernels_(kernels) {}

  // Floats of workspace that multiply needs, to hold op(b).
  std::int64_t workspace_floats(const Product& product) const;

  // Called by the thread that computed a tile, while it is in its cache.
  using TileDone = std::function<void(Matrix<float> tile, std::int64_t row, std::int64_t col)>;
  void multiply(const Product& product, std::span<float> workspace,
                const TileDone& tile_done = {}) const;

 private:
  ThreadPool& pool_;
  const kernels::Table& kernels_;
};

}  // namespace tandem
