#include "tensor/arena.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/mman.h>

#include "base/error.h"

namespace tandem {
namespace {

constexpr std::int64_t kAlignment = 64;

}  // namespace

Arena::Arena(Counting) : counting_(true) {
  // A pointer that faults when touched, but on which arithmetic is defined enough to be compared.
  base_ = reinterpret_cast<std::byte*>(kAlignment);
}

Arena::Arena(std::int64_t bytes) : counting_(false), reserved_(std::max(bytes, kAlignment)) {
  void* memory = mmap(nullptr, static_cast<std::size_t>(reserved_), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw MachineError(
        "{:.2f} GB of memory for activations cannot be reserved: {}; use a smaller "
        "--per-device-train-batch-size or --max-seq-length, or raise `ulimit -v`",
        static_cast<double>(bytes) / 1e9, errno_text(errno));
  }
  madvise(memory, static_cast<std::size_t>(reserved_), MADV_HUGEPAGE);
  base_ = static_cast<std::byte*>(memory);
}

Arena::~Arena() {
  if (!counting_) munmap(base_, static_cast<std::size_t>(reserved_));
}

void* Arena::take(std::int64_t bytes) {
  std::byte* const address = base_ + used_;
  used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  peak_ = std::max(peak_, used_);
  if (counting_) return address;
  TANDEM_CHECK(used_ <= reserved_, "{} bytes of {} reserved", used_, reserved_);
#ifndef NDEBUG
  std::memset(address, 0xFF, static_cast<std::size_t>(bytes));
#endif
  return address;
}

void Arena::release(std::int64_t mark) {
  TANDEM_CHECK(mark <= used_, "mark {} beyond {}", mark, used_);
  used_ = mark;
}

}  // namespace tandem
