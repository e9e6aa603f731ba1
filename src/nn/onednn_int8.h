#pragma once
// Products of 8-bit integers, by oneDNN.

#include <cstdint>
#include <memory>
#include <span>

namespace tandem {

// Whether this CPU multiplies 8-bit integers exactly and fast: it has AVX-512 with VNNI, or AMX,
// and oneDNN isn't limited to less. Without it products of two pairs are added in 16 bits, which
// can overflow.
bool onednn_multiplies_int8();

// result[kRows, out] = rows[kRows, in] weightᵀ, exact. The weight is packed once, in the layout
// that oneDNN likes best.
class OneDnnInt8Product {
 public:
  static constexpr std::int64_t kRows = 64;  // of one call

  // `weight` is [out, in].
  OneDnnInt8Product(std::int64_t out, std::int64_t in, std::span<const std::int8_t> weight);
  ~OneDnnInt8Product();
  OneDnnInt8Product(OneDnnInt8Product&&) noexcept;
  OneDnnInt8Product& operator=(OneDnnInt8Product&&) noexcept;

  // Bytes of workspace that a call needs, 64-byte aligned; a multiple of 64, so that those of
  // several threads may follow each other.
  std::int64_t workspace_bytes() const;
  // Called by any number of threads at a time, each with a workspace of its own.
  void multiply(const std::uint8_t* rows, std::int32_t* result, std::byte* workspace) const;

 private:
  struct Primitive;  // oneDNN's own types stay out of this header
  std::unique_ptr<Primitive> primitive_;
};

}  // namespace tandem
