#pragma once
// Memory for activations: address space reserved once, handed out by moving a mark, touched as
// needed. No allocation happens inside a step.

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/matrix.h"

namespace tandem {

// A bump allocator. In counting mode nothing is reserved: it hands out addresses that must not be
// touched and records the highest mark, so that walking the step's own code with the largest batch
// tells how much memory the step needs.
class Arena {
 public:
  struct Counting {};
  explicit Arena(Counting);
  // Reserves `bytes` of address space (huge pages advised); throws MachineError when the system
  // refuses. Asking for more than `bytes` later is a bug.
  explicit Arena(std::int64_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // 64-byte aligned and uninitialised; debug builds fill it with NaN.
  template <class T>
  std::span<T> vector(std::int64_t count) {
    return {static_cast<T*>(take(count * static_cast<std::int64_t>(sizeof(T)))),
            static_cast<std::size_t>(count)};
  }
  // Rows are a few elements further apart than `cols` when that is a multiple of 256: elements of a
  // column would otherwise compete for a few lines of the caches, which costs products of such
  // matrices up to a quarter of their speed.
  template <class T>
  Matrix<T> matrix(std::int64_t rows, std::int64_t cols) {
    constexpr auto kGap = static_cast<std::int64_t>(64 / sizeof(T));
    const std::int64_t stride = rows > 1 && cols % 256 == 0 ? cols + kGap : cols;
    return {vector<T>(rows * stride).data(), rows, cols, stride};
  }

  // release(mark()) gives back everything taken since.
  std::int64_t mark() const { return used_; }
  void release(std::int64_t mark);
  std::int64_t peak_bytes() const { return peak_; }
  bool counting() const { return counting_; }

 private:
  void* take(std::int64_t bytes);

  bool counting_;
  std::byte* base_ = nullptr;
  std::int64_t reserved_ = 0, used_ = 0, peak_ = 0;
};

// Gives back what was taken within a scope.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaScope() { arena_.release(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  std::int64_t mark_;
};

}  // namespace tandem
