#include "nn/int8_benchmark.h"

#include <chrono>
#include <vector>

#include "base/median.h"
#include "nn/onednn_int8.h"
#include "tensor/arena.h"

namespace tandem {

double measure_int8_rate(std::int64_t rows, std::int64_t out, std::int64_t in, int repeats,
                         Compute& compute) {
  constexpr std::int64_t kRows = OneDnnInt8Product::kRows;
  const std::int64_t tiles = (rows + kRows - 1) / kRows;
  const OneDnnInt8Product product(
      out, in, std::vector<std::int8_t>(static_cast<std::size_t>(out * in), std::int8_t{3}));
  const std::vector<std::uint8_t> x(static_cast<std::size_t>(tiles * kRows * in),
                                    std::uint8_t{130});
  const auto threads = static_cast<std::int64_t>(compute.pool().size());
  const std::int64_t workspace_bytes = product.workspace_bytes();
  constexpr std::int64_t kAlignmentSlack = 2 * 64;
  Arena arena(
      threads * (kRows * out * static_cast<std::int64_t>(sizeof(std::int32_t)) + workspace_bytes) +
      kAlignmentSlack);
  const std::span<std::int32_t> sums = arena.vector<std::int32_t>(threads * kRows * out);
  const std::span<std::byte> workspaces = arena.vector<std::byte>(threads * workspace_bytes);
  std::vector<double> seconds;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    compute.pool().run(tiles, [&](std::int64_t tile, int worker) {
      product.multiply(x.data() + tile * kRows * in, sums.data() + worker * kRows * out,
                       workspaces.data() + worker * workspace_bytes);
    });
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds.push_back(elapsed.count());
  }
  return 2.0 * static_cast<double>(tiles * kRows) * static_cast<double>(out * in) / median(seconds);
}

}  // namespace tandem
