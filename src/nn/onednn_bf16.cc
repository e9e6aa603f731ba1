#include "nn/onednn_bf16.h"

#include <algorithm>
#include <array>
#include <vector>

#include <dnnl.hpp>

#include "base/error.h"
#include "nn/onednn.h"

namespace tandem {
namespace {

using dnnl::memory;

constexpr auto kOperandType = memory::data_type::bf16;
constexpr auto kResultType = memory::data_type::f32;

// What a primitive must know when it is made.
struct Variant {
  bool a_by_rows, b_by_rows;  // elements of a row follow each other; otherwise those of a column do
  bool accumulate;

  static constexpr std::size_t kCount = 8;
  std::size_t number() const {
    return (a_by_rows ? 4U : 0U) + (b_by_rows ? 2U : 0U) + (accumulate ? 1U : 0U);
  }
  static Variant numbered(std::size_t n) { return {(n & 4) != 0, (n & 2) != 0, (n & 1) != 0}; }
};

bool by_rows(const kernels::Operand<BFloat16>& operand) { return operand.column_stride == 1; }

memory::desc operand_of_any_shape(bool by_rows) {
  constexpr memory::dim kAny = DNNL_RUNTIME_DIM_VAL;
  return {{kAny, kAny}, kOperandType, by_rows ? memory::dims{kAny, 1} : memory::dims{1, kAny}};
}

// The stride of a single row or column means nothing to us, but oneDNN refuses one that is shorter
// than what it strides over.
memory::desc operand_of_shape(const kernels::Operand<BFloat16>& operand, std::int64_t rows,
                              std::int64_t cols) {
  return {{rows, cols},
          kOperandType,
          by_rows(operand) ? memory::dims{std::max(operand.row_stride, cols), 1}
                           : memory::dims{1, std::max(operand.column_stride, rows)}};
}

dnnl::matmul::primitive_desc describe(const Variant& variant, const dnnl::engine& engine) {
  constexpr memory::dim kAny = DNNL_RUNTIME_DIM_VAL;
  const memory::desc a = operand_of_any_shape(variant.a_by_rows);
  const memory::desc b = operand_of_any_shape(variant.b_by_rows);
  const memory::desc c({kAny, kAny}, kResultType, memory::dims{kAny, 1});
  dnnl::primitive_attr attributes;
  // The library's own scratch memory is one for all threads.
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (variant.accumulate) {
    dnnl::post_ops added;
    added.append_sum();
    attributes.set_post_ops(added);
  }
  // The library describes a product in one call since its version 3.
#if DNNL_VERSION_MAJOR >= 3
  return {engine, a, b, c, attributes};
#else
  return {dnnl::matmul::desc(a, b, c), attributes, engine};
#endif
}

}  // namespace

bool onednn_multiplies_bf16() {
  // A set of instructions is a set of bits that includes those of the sets it builds on.
  const auto usable = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
  const auto needed = static_cast<unsigned>(dnnl_cpu_isa_avx512_core_bf16);
  return (usable & needed) == needed;
}

struct OneDnnBf16::Primitives {
  struct Primitive {
    dnnl::matmul product;
    std::vector<memory> scratch_of_worker;
  };

  explicit Primitives(int workers) : engine(dnnl::engine::kind::cpu, 0) {
    for (std::size_t n = 0; n < Variant::kCount; ++n) {
      const auto description = describe(Variant::numbered(n), engine);
      of_variant[n].product = dnnl::matmul(description);
      for (int worker = 0; worker < workers; ++worker) {
        of_variant[n].scratch_of_worker.emplace_back(description.scratchpad_desc(), engine);
      }
    }
  }

  dnnl::engine engine;
  std::array<Primitive, Variant::kCount> of_variant;
};

OneDnnBf16::OneDnnBf16(int workers) {
  use_one_openmp_thread();
  try {
    primitives_ = std::make_unique<Primitives>(workers);
  } catch (const dnnl::error& error) {
    throw MachineError("oneDNN {} has no products of bf16 for this CPU or these kernels: {}",
                       onednn_version(), error.what());
  }
}

OneDnnBf16::~OneDnnBf16() = default;
OneDnnBf16::OneDnnBf16(OneDnnBf16&&) noexcept = default;
OneDnnBf16& OneDnnBf16::operator=(OneDnnBf16&&) noexcept = default;

void OneDnnBf16::multiply(const kernels::Operand<BFloat16>& a, const kernels::Operand<BFloat16>& b,
                          std::int64_t k, const kernels::Extent& c_extent, float* c,
                          bool accumulate, int worker) const {
  const auto [rows, cols, stride] = c_extent;
  if (rows == 0 || cols == 0) return;
  use_one_openmp_thread();
  const dnnl::engine& engine = primitives_->engine;
  const Variant variant = {by_rows(a), by_rows(b), accumulate};
  const auto& [product, scratch_of_worker] = primitives_->of_variant[variant.number()];
  const auto scratch = static_cast<std::size_t>(worker);
  TANDEM_CHECK(k > 0 && stride >= cols && scratch < scratch_of_worker.size(),
               "{} x {} x {}, rows {} apart, worker {}", rows, k, cols, stride, worker);
  dnnl::stream stream(engine);
  // The library only reads operands, though it asks for pointers to what may change.
  const memory source(operand_of_shape(a, rows, k), engine, const_cast<BFloat16*>(a.data));
  const memory weight(operand_of_shape(b, k, cols), engine, const_cast<BFloat16*>(b.data));
  const memory target({{rows, cols}, kResultType, memory::dims{stride, 1}}, engine, c);
  product.execute(stream, {{DNNL_ARG_SRC, source},
                           {DNNL_ARG_WEIGHTS, weight},
                           {DNNL_ARG_DST, target},
                           {DNNL_ARG_SCRATCHPAD, scratch_of_worker[scratch]}});
  stream.wait();
}

}  // namespace tandem
