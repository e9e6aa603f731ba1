#include "model/initialization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <xxhash.h>

#include "base/philox.h"

namespace tandem {
namespace {

// Four standard normal numbers from four 32-bit words, in double so that the same floats come out
// whichever mathematical library computes the logarithm. Box and Muller 1958.
std::array<double, 4> normal4(const std::array<std::uint32_t, 4>& words) {
  std::array<double, 4> result;
  for (std::size_t i = 0; i < 4; i += 2) {
    const double u = (static_cast<double>(words[i]) + 1) * 0x1p-32;  // (0, 1]
    const double angle = 2 * std::numbers::pi * static_cast<double>(words[i + 1]) * 0x1p-32;
    const double radius = std::sqrt(-2 * std::log(u));
    result[i] = radius * std::cos(angle);
    result[i + 1] = radius * std::sin(angle);
  }
  return result;
}

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32U); }

}  // namespace

void fill_normal(std::span<float> out, float deviation, std::uint64_t seed, std::string_view name) {
  const std::uint64_t stream = XXH64(name.data(), name.size(), 0);
  for (std::size_t i = 0; i < out.size(); i += 4) {
    const auto normal = normal4(
        philox4x32({low(i / 4), high(i / 4), low(stream), high(stream)}, {low(seed), high(seed)}));
    for (std::size_t j = i; j < std::min(i + 4, out.size()); ++j) {
      out[j] = static_cast<float>(normal[j - i] * static_cast<double>(deviation));
    }
  }
}

Initialization initialization_of(const HfConfig& config, std::uint64_t seed) {
  const float range = config.bert.initializer_range;
  return {.range = range == 0 ? 0.02F : range, .padding_row = config.pad_token_id, .seed = seed};
}

void initialize_parameter(std::span<float> weights, const ParamInfo& parameter,
                          const Initialization& how) {
  const std::string_view name = parameter.name;
  const std::span<float> values = Gradients{weights}.vector(parameter.slice);
  if (name.ends_with(".gamma")) {
    std::fill(values.begin(), values.end(), 1.0F);
  } else if (name.ends_with(".beta") || name.ends_with(".bias")) {
    std::fill(values.begin(), values.end(), 0.0F);
  } else {
    fill_normal(values, how.range, how.seed, name);
  }
  if (name == "embeddings.word" && how.padding_row) {
    const auto width = static_cast<std::size_t>(parameter.slice.cols);
    const std::span<float> row =
        values.subspan(static_cast<std::size_t>(*how.padding_row) * width, width);
    std::fill(row.begin(), row.end(), 0.0F);
  }
}

void initialize_parameters(std::span<float> weights, const ParamTable& table,
                           const Initialization& how, ThreadPool& pool) {
  const std::span<const ParamInfo> parameters = table.all();
  pool.run(static_cast<std::int64_t>(parameters.size()), [&](std::int64_t task, int) {
    initialize_parameter(weights, parameters[static_cast<std::size_t>(task)], how);
  });
}

}  // namespace tandem
