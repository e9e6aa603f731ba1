#pragma once
// The kernel sets that this CPU can run, as parameters of a test.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/dispatch.h"

namespace tandem::testing {

// A test over every usable kernel set but the reference, which is the oracle.
class EveryKernelSet : public ::testing::TestWithParam<const kernels::Table*> {};

inline std::vector<const kernels::Table*> fast_tables() {
  std::vector<const kernels::Table*> tables = kernels::usable_tables();
  if (tables.size() > 1) tables.pop_back();
  return tables;
}

inline std::string table_name(const ::testing::TestParamInfo<const kernels::Table*>& info) {
  return info.param->name;
}

}  // namespace tandem::testing

#define TANDEM_FOR_EVERY_KERNEL_SET(suite)                                                      \
  INSTANTIATE_TEST_SUITE_P(Kernels, suite, ::testing::ValuesIn(tandem::testing::fast_tables()), \
                           tandem::testing::table_name)
