#pragma once
// The kernel set that a test run is about: TANDEM_TEST_KERNELS, or the best this CPU has.

#include <cstdlib>
#include <string>

namespace tandem::testing {

inline std::string kernels_under_test() {
  const char* const name = std::getenv("TANDEM_TEST_KERNELS");
  return name == nullptr ? "auto" : name;
}

}  // namespace tandem::testing
