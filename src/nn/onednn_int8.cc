#include "nn/onednn_int8.h"

#include <dnnl.hpp>

#include "base/error.h"
#include "nn/onednn.h"

namespace tandem {
namespace {

using dnnl::memory;

// The library describes a product in one call since its version 3.
dnnl::matmul::primitive_desc describe(const memory::desc& rows, const memory::desc& weight,
                                      const memory::desc& result, const dnnl::engine& engine) {
  dnnl::primitive_attr attributes;
  // The library's own scratch memory is one for all threads.
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, rows, weight, result, attributes};
#else
  return {dnnl::matmul::desc(rows, weight, result), attributes, engine};
#endif
}

}  // namespace

bool onednn_multiplies_int8() {
  // A set of instructions is a set of bits that includes those of the sets it builds on.
  const auto usable = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
  const auto needed = static_cast<unsigned>(dnnl_cpu_isa_avx512_core_vnni);
  return (usable & needed) == needed;
}

struct OneDnnInt8Product::Primitive {
  Primitive(std::int64_t out, std::int64_t in)
      : engine(dnnl::engine::kind::cpu, 0),
        description(describe({{kRows, in}, memory::data_type::u8, memory::format_tag::ab},
                             {{in, out}, memory::data_type::s8, memory::format_tag::any},
                             {{kRows, out}, memory::data_type::s32, memory::format_tag::ab},
                             engine)),
        product(description),
        weight(description.weights_desc(), engine) {}

  dnnl::engine engine;
  dnnl::matmul::primitive_desc description;
  dnnl::matmul product;
  memory weight;
};

OneDnnInt8Product::OneDnnInt8Product(std::int64_t out, std::int64_t in,
                                     std::span<const std::int8_t> weight) {
  TANDEM_CHECK(static_cast<std::int64_t>(weight.size()) == out * in, "{} weights", weight.size());
  use_one_openmp_thread();
  try {
    primitive_ = std::make_unique<Primitive>(out, in);
    dnnl::stream stream(primitive_->engine);
    // The library only reads it, though it asks for a pointer to what may change.
    memory plain({{in, out}, memory::data_type::s8, memory::format_tag::ba}, primitive_->engine,
                 const_cast<std::int8_t*>(weight.data()));
    dnnl::reorder(plain, primitive_->weight).execute(stream, plain, primitive_->weight);
    stream.wait();
  } catch (const dnnl::error& error) {
    throw MachineError("oneDNN cannot multiply 8-bit integers of {} by {}: {}", out, in,
                       error.what());
  }
}

OneDnnInt8Product::~OneDnnInt8Product() = default;
OneDnnInt8Product::OneDnnInt8Product(OneDnnInt8Product&&) noexcept = default;
OneDnnInt8Product& OneDnnInt8Product::operator=(OneDnnInt8Product&&) noexcept = default;

std::int64_t OneDnnInt8Product::workspace_bytes() const {
  constexpr std::int64_t kAlignment = 64;
  const auto bytes =
      static_cast<std::int64_t>(primitive_->description.scratchpad_desc().get_size());
  return (bytes / kAlignment + 1) * kAlignment;
}

void OneDnnInt8Product::multiply(const std::uint8_t* rows, std::int32_t* result,
                                 std::byte* workspace) const {
  use_one_openmp_thread();
  const dnnl::engine& engine = primitive_->engine;
  const auto& description = primitive_->description;
  dnnl::stream stream(engine);
  const memory source(description.src_desc(), engine, const_cast<std::uint8_t*>(rows));
  const memory target(description.dst_desc(), engine, result);
  const memory scratch(description.scratchpad_desc(), engine, workspace);
  primitive_->product.execute(stream, {{DNNL_ARG_SRC, source},
                                       {DNNL_ARG_WEIGHTS, primitive_->weight},
                                       {DNNL_ARG_DST, target},
                                       {DNNL_ARG_SCRATCHPAD, scratch}});
  stream.wait();
}

}  // namespace tandem
