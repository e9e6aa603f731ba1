#pragma once
// Matrix products, the bulk of all work: our kernels on tiles that all threads share.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/thread.h"
#include "kernels/table.h"
#include "tensor/matrix.h"

namespace tandem {

enum class Transpose { kNo, kYes };

// c = op(a) op(b), or c += with `accumulate`. c is [M, N], op(a) [M, K], op(b) [K, N]. Summed in
// fp32. Operands are of type T; results are activations, of the same type, or gradients in fp32.
template <class T, class C = T>
struct Product {
  Matrix<const T> a;
  Transpose a_transpose = Transpose::kNo;
  Matrix<const T> b;
  Transpose b_transpose = Transpose::kNo;
  Matrix<C> c;
  bool accumulate = false;

  std::int64_t inner() const { return a_transpose == Transpose::kNo ? a.cols : a.rows; }
  double flops() const {
    return 2 * static_cast<double>(c.rows) * static_cast<double>(c.cols) *
           static_cast<double>(inner());
  }
  // Each operand once.
  double bytes() const {
    const std::int64_t results = c.rows * c.cols * (accumulate ? 2 : 1);
    return static_cast<double>(results) * sizeof(C) +
           static_cast<double>((c.rows + c.cols) * inner()) * sizeof(T);
  }
};

// Called by the thread that computed a tile of c, whose first element is c's [row, col], while the
// sums are in its cache: with fp32 they are in the tile, otherwise the tile is to be written.
template <class C>
using TileDone = std::function<void(const kernels::Sums& sums, Matrix<C> tile, std::int64_t row,
                                    std::int64_t col)>;

// op(matrix), for the kernels.
template <class T>
kernels::Operand<T> operand(Matrix<const T> matrix, Transpose transpose) {
  return transpose == Transpose::kNo ? kernels::Operand<T>{matrix.data, matrix.stride, 1}
                                     : kernels::Operand<T>{matrix.data, 1, matrix.stride};
}

class OneDnnBf16;

// Goto and van de Geijn 2008, "Anatomy of High-Performance Matrix Multiplication": op(b) is packed
// in panels of a few columns, which all threads then multiply tiles of c's rows by. Each element
// is summed in the same order whoever computes it, so results have the same bits for any number of
// threads.
//
// Operands of bf16 are widened when they are packed, or, where the CPU multiplies bf16, multiplied
// by oneDNN, tile by tile. It sums a single row or column of c in an order that depends on how many
// elements a tile has; c of one row or column is therefore left to our kernels, and no other has a
// tile of one.
class Gemm {
 public:
  // `bf16`: what multiplies operands of bf16; null: our kernels, widened.
  Gemm(ThreadPool& pool, const kernels::Table& kernels, std::unique_ptr<OneDnnBf16> bf16 = nullptr);
  ~Gemm();
  Gemm(const Gemm&) = delete;
  Gemm& operator=(const Gemm&) = delete;

  // Whether oneDNN multiplies operands of bf16.
  bool has_onednn_bf16() const { return bf16_ != nullptr; }

  // Floats of workspace that multiply needs. Grows with the rows and columns, so that what is
  // planned for the largest batch is enough for all.
  template <class T, class C>
  std::int64_t workspace_floats(const Product<T, C>& product) const;

  // `tile_done` takes sums alone: not with `accumulate`, unless c is of fp32.
  template <class T, class C>
  void multiply(const Product<T, C>& product, std::span<float> workspace,
                const TileDone<C>& tile_done = {}) const;

 private:
  template <class T, class C>
  struct Run;

  ThreadPool& pool_;
  const kernels::Table& kernels_;
  std::unique_ptr<OneDnnBf16> bf16_;
};

}  // namespace tandem
