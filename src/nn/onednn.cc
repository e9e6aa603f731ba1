#include "nn/onednn.h"

#include <dnnl.h>

#include "base/error.h"

// OpenMP 5.0, section 3.2.1. Declared here because clang has no <omp.h> unless its own OpenMP
// library is installed, while oneDNN brings gcc's.
extern "C" void omp_set_num_threads(int threads);

namespace tandem {

void cap_onednn_instructions(std::string_view kernels) {
  // With avx512 oneDNN's own choice is the best there is; the reference kernels never call it.
  if (kernels != "avx2") return;
  const bool capped = dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2) == dnnl_success;
  // Once oneDNN has been used the cap can't change, which is no harm when it is the same.
  if (!capped && dnnl_get_effective_cpu_isa() != dnnl_cpu_isa_avx2) {
    throw UsageError(
        "--kernels={}: oneDNN cannot be limited to these instructions (it was built without the "
        "option, or used before); use --kernels=auto",
        kernels);
  }
}

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

void use_one_openmp_thread() { omp_set_num_threads(1); }

void multiply_with_onednn(const Product<float>& p) {
  use_one_openmp_thread();
  const auto letter = [](Transpose t) { return t == Transpose::kNo ? 'N' : 'T'; };
  const dnnl_status_t status = dnnl_sgemm(
      letter(p.a_transpose), letter(p.b_transpose), p.c.rows, p.c.cols, p.inner(), 1.0F, p.a.data,
      p.a.stride, p.b.data, p.b.stride, p.accumulate ? 1.0F : 0.0F, p.c.data, p.c.stride);
  TANDEM_CHECK(status == dnnl_success, "dnnl_sgemm returned {}", static_cast<int>(status));
}

}  // namespace tandem
