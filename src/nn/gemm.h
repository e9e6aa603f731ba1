#pragma once
// Matrix products, the bulk of all work: single-threaded oneDNN calls on tiles that we choose.

#include <cstdint>
#include <functional>
#include <string_view>

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

// Caps oneDNN to the instruction set of the kernel table named `kernels`, so that forcing one means
// the whole program. Must come before the first product of the process; throws UsageError when
// oneDNN refuses.
void cap_gemm_instructions(std::string_view kernels);

// oneDNN's version, e.g. "2.6.3".
std::string gemm_library_version();

// The whole product on the calling thread, by oneDNN.
void multiply_on_this_thread(const Product& product);

// Divides each product into tiles by its shape alone, never by the number of threads: each element
// is summed in the same order whoever computes it, so results have the same bits for any number of
// threads. With the reference kernels it is a plain loop, for tiny models.
class Gemm {
 public:
  Gemm(ThreadPool& pool, const kernels::Table& kernels);

  // Called by the thread that computed a tile, while it is in its cache.
  using TileDone = std::function<void(Matrix<float> tile, std::int64_t row, std::int64_t col)>;
  void multiply(const Product& product, const TileDone& tile_done = {});

 private:
  ThreadPool& pool_;
  bool plain_loops_;
};

}  // namespace tandem
