#pragma once
// Who multiplies operands of bf16, as parameters of a test.

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "nn/compute.h"
#include "support/kernels_under_test.h"

namespace tandem::testing {

// oneDNN needs AVX-512, and computes bf16 by it where the CPU has no instructions for it.
inline bool usable(Bf16Products products) {
  try {
    const Compute compute(kernels_under_test(), 1, {}, products);
    return true;
  } catch (const MachineError&) {
    return false;
  }
}

inline std::string name_of(Bf16Products products) {
  switch (products) {
    case Bf16Products::kWidened:
      return "Widened";
    case Bf16Products::kOneDnn:
      return "OneDnn";
    default:
      return "";
  }
}

// A test with our kernels, and with oneDNN where it multiplies bf16.
class EitherBf16Products : public ::testing::TestWithParam<Bf16Products> {
 protected:
  static Bf16Products products() {
    return usable(GetParam()) ? GetParam() : Bf16Products::kWidened;
  }
  void SetUp() override {
    if (!usable(GetParam())) GTEST_SKIP() << "oneDNN multiplies no bf16 here";
  }
};

}  // namespace tandem::testing

#define TANDEM_WITH_EITHER_BF16_PRODUCTS(suite)                                         \
  INSTANTIATE_TEST_SUITE_P(                                                             \
      Products, suite,                                                                  \
      ::testing::Values(tandem::Bf16Products::kWidened, tandem::Bf16Products::kOneDnn), \
      [](const auto& products) { return tandem::testing::name_of(products.param); })
