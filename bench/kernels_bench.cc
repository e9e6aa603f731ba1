// Times every kernel of every kernel set usable here, at BERT-base's sizes, on one thread:
// build/release/kernels_bench [name ...]; "add bf16" is add for activations of bf16. Sets take
// turns, so that a change of the machine's speed falls on all of them; figures are medians.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/median.h"
#include "kernels/dispatch.h"
#include "support/random_floats.h"

namespace tandem {
namespace {

using testing::random_floats;
using testing::random_values;

constexpr std::int64_t kTokens = 53, kWidth = 768, kIntermediate = 3072, kHeadWidth = 64;
constexpr kernels::Extent kNarrow = {kTokens, kWidth, kWidth};
constexpr kernels::Extent kWide = {kTokens, kIntermediate, kIntermediate};
constexpr std::int64_t kElements = kTokens * kWidth;
constexpr std::int64_t kLargeArray = 1 << 16;  // what a task of AdamW takes

struct Case {
  std::string name;
  double elements;  // that the kernel gives
  double flops;     // of its products; 0 for none
  std::function<void(const kernels::Table&)> run;
};

// Memory that the cases share: each array is as large as any case needs.
struct Floats {
  std::vector<float> tile = random_floats(kTokens * kIntermediate, 1);
  std::vector<float> weight = random_floats(kLargeArray, 2);
  std::vector<float> gradient = random_floats(kLargeArray, 3);
  std::vector<float> moment1 = random_floats(kLargeArray, 4);
  std::vector<float> moment2 = std::vector<float>(kLargeArray, 8.0F);
  std::vector<BFloat16> rounded = std::vector<BFloat16>(kTokens * kIntermediate);
  std::vector<float> columns[3] = {random_floats(kIntermediate, 5), random_floats(kIntermediate, 6),
                                   random_floats(kIntermediate, 7)};
  std::vector<float> zeros = std::vector<float>(kIntermediate);
  std::vector<float> panels = random_floats(kWidth * kWidth, 9);
  std::vector<float> rows = std::vector<float>(kTokens, 1.0F);
  std::vector<float> workspace = std::vector<float>(static_cast<std::size_t>(
      std::max(kernels::attention_workspace_floats<BFloat16>(kTokens, kHeadWidth),
               kernels::panel_product_workspace_floats(kTokens))));
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(kElements);
  std::vector<std::int32_t> sums = std::vector<std::int32_t>(kElements, 1000);
  std::vector<std::int32_t> offsets = std::vector<std::int32_t>(kWidth, 10);
  std::vector<std::uint32_t> samples = std::vector<std::uint32_t>(kTokens, 7);
  std::vector<std::int32_t> positions = std::vector<std::int32_t>(kTokens, 3);

  kernels::TokenRows tokens() const { return {samples.data(), positions.data()}; }
};

template <class T>
struct Activations {
  std::vector<T> a = random_values<T>(kTokens * kIntermediate, 1);
  std::vector<T> b = random_values<T>(kTokens * kIntermediate, 2);
  std::vector<T> c = random_values<T>(kTokens * kIntermediate, 3);
  std::vector<T> d = random_values<T>(kTokens * kIntermediate, 4);
  // Where GELU's derivative is 1, so that a gradient used again and again doesn't vanish.
  std::vector<T> positive = std::vector<T>(kTokens * kIntermediate, round_to<T>(8));
  std::vector<T> weight = random_values<T>(kWidth * kWidth, 8);
};

constexpr kernels::DropoutKey kDropout = {
    .seed = {1, 2}, .step = 3, .site = 1, .threshold = 429496730U, .scale = 1 / 0.9F};

template <class T>
std::string name_of(const std::string& kernel) {
  return kernel + (std::is_same_v<T, float> ? "" : " bf16");
}

// The tile of a product that becomes y: y itself for fp32.
kernels::Sums tile_of(const Floats&, const std::vector<float>& y, const kernels::Extent& extent) {
  return {y.data(), extent.stride};
}
kernels::Sums tile_of(const Floats& f, const std::vector<BFloat16>&,
                      const kernels::Extent& extent) {
  return {f.tile.data(), extent.stride};
}

template <class T>
void add_elementwise_cases(Floats& f, Activations<T>& m, std::vector<Case>& cases) {
  constexpr double kWideElements = kTokens * kIntermediate;
  cases.push_back({name_of<T>("add_bias"), kElements, 0, [&](const kernels::Table& k) {
                     k.of<T>().add_bias(tile_of(f, m.a, kNarrow), f.columns[0].data(), kNarrow,
                                        m.a.data());
                   }});
  cases.push_back({name_of<T>("add_column_sums"), kElements, 0, [&](const kernels::Table& k) {
                     k.of<T>().add_column_sums(m.a.data(), kNarrow, f.columns[0].data());
                   }});
  cases.push_back({name_of<T>("add"), kElements, 0, [&](const kernels::Table& k) {
                     k.of<T>().add(m.a.data(), kElements, f.tile.data());
                   }});
  cases.push_back({name_of<T>("bias_gelu_forward"), kWideElements, 0, [&](const kernels::Table& k) {
                     k.of<T>().bias_gelu_forward(tile_of(f, m.a, kWide), f.zeros.data(), kWide,
                                                 m.a.data(), m.b.data());
                   }});
  cases.push_back({name_of<T>("gelu_backward"), kWideElements, 0, [&](const kernels::Table& k) {
                     k.of<T>().gelu_backward(m.positive.data(), kWide, m.c.data(), m.b.data(),
                                             f.columns[0].data());
                   }});
  cases.push_back({name_of<T>("dropout"), kElements, 0, [&](const kernels::Table& k) {
                     k.of<T>().dropout(kDropout, f.tokens(), kNarrow, m.d.data());
                   }});
  cases.push_back({name_of<T>("scale_and_shift"), kElements, 0, [&](const kernels::Table& k) {
                     k.of<T>().scale_and_shift(m.a.data(), f.columns[1].data(), f.columns[2].data(),
                                               kNarrow, m.b.data());
                   }});
}

// Those that know one type only.
void add_plain_cases(Floats& f, std::vector<Case>& cases) {
  for (const bool accumulate : {false, true}) {
    cases.push_back({accumulate ? "store_sums, added" : "store_sums", kElements, 0,
                     [&f, accumulate](const kernels::Table& k) {
                       k.store_sums({f.tile.data(), kWidth}, kNarrow, accumulate, f.rounded.data());
                     }});
  }
  cases.push_back({"sum_of_squares", kElements, 0, [&](const kernels::Table& k) {
                     f.rows[0] = static_cast<float>(k.sum_of_squares(f.tile.data(), kElements));
                   }});
  cases.push_back({"quantize_rows", kElements, 0, [&](const kernels::Table& k) {
                     k.quantize_rows(f.tile.data(), kNarrow, f.bytes.data(), f.rows.data());
                   }});
  cases.push_back({"dequantize_tile", kElements, 0, [&](const kernels::Table& k) {
                     k.dequantize_tile(f.sums.data(), f.rows.data(), f.columns[0].data(),
                                       f.offsets.data(), kNarrow, f.tile.data());
                   }});
  for (const bool rounded : {false, true}) {
    cases.push_back({rounded ? "adamw, rounded" : "adamw", kLargeArray, 0,
                     [&f, rounded](const kernels::Table& k) {
                       const kernels::AdamWUpdate update = {.gradient_scale = 1,
                                                            .beta1 = 0.9F,
                                                            .beta2 = 0.999F,
                                                            .epsilon = 1e-8F,
                                                            .one_minus_beta1 = 0.1F,
                                                            .one_minus_beta2 = 0.001F,
                                                            .decay_factor = 1,
                                                            .step_size = 0,
                                                            .inverse_sqrt_correction2 = 1};
                       k.adamw(update, kLargeArray, f.gradient.data(), f.weight.data(),
                               f.moment1.data(), f.moment2.data(),
                               rounded ? f.rounded.data() : nullptr);
                     }});
  }
}

template <class T>
void add_norm_cases(Floats& f, Activations<T>& m, std::vector<Case>& cases) {
  cases.push_back({name_of<T>("residual_norm_forward"), kElements, 0, [&](const kernels::Table& k) {
                     k.of<T>().residual_norm_forward({.x = m.a.data(),
                                                      .bias = f.columns[0].data(),
                                                      .residual = m.b.data(),
                                                      .tokens = f.tokens(),
                                                      .gamma = f.columns[1].data(),
                                                      .beta = f.columns[2].data(),
                                                      .epsilon = 1e-12F,
                                                      .normalized = m.c.data(),
                                                      .rstd = f.rows.data(),
                                                      .y = m.d.data(),
                                                      .workspace = f.workspace.data()},
                                                     kDropout, kNarrow);
                   }});
  cases.push_back(
      {name_of<T>("residual_norm_backward"), kElements, 0, [&](const kernels::Table& k) {
         k.of<T>().residual_norm_backward({.dy = m.a.data(),
                                           .normalized = m.b.data(),
                                           .rstd = f.rows.data(),
                                           .gamma = f.columns[1].data(),
                                           .tokens = f.tokens(),
                                           .dsum = m.c.data(),
                                           .dx = m.d.data(),
                                           .d_gamma = f.columns[0].data(),
                                           .d_beta = f.columns[0].data(),
                                           .d_bias = f.columns[0].data()},
                                          kDropout, kNarrow);
       }});
}

template <class T>
kernels::AttentionHead<T> head_of(Floats& f, const Activations<T>& m) {
  return {.tokens = kTokens,
          .queries = kTokens,
          .width = kHeadWidth,
          .query = m.a.data(),
          .query_stride = 3 * kWidth,
          .key = m.a.data() + kWidth,
          .value = m.a.data() + 2 * kWidth,
          .key_value_stride = 3 * kWidth,
          .scale = 0.125F,
          .dropout = kDropout,
          .sample = 7,
          .head = 1,
          .next_head_follows = false,
          .workspace = f.workspace.data()};
}

template <class T>
void add_attention_cases(Floats& f, Activations<T>& m, std::vector<Case>& cases) {
  constexpr double kPairs = kTokens * kTokens;
  cases.push_back({name_of<T>("attention_forward"), kPairs, 4 * kPairs * kHeadWidth,
                   [&](const kernels::Table& k) {
                     k.of<T>().attention_forward(head_of(f, m), m.b.data(), kWidth, f.rows.data(),
                                                 1);
                   }});
  cases.push_back({name_of<T>("attention_backward"), kPairs, 10 * kPairs * kHeadWidth,
                   [&](const kernels::Table& k) {
                     k.of<T>().attention_backward(head_of(f, m), m.b.data(), m.c.data(), kWidth,
                                                  f.rows.data(), 1, m.d.data(), m.d.data() + kWidth,
                                                  m.d.data() + 2 * kWidth);
                   }});
}

// A tile of a product: the tokens of a sequence by a part of the intermediate layer.
template <class T>
void add_gemm_cases(Floats& f, Activations<T>& m, std::vector<Case>& cases) {
  constexpr std::int64_t kCols = 384;
  constexpr double kFlops = 2.0 * kTokens * kCols * kWidth;
  const auto pack = [&](const kernels::Table& k, const kernels::Operand<T>& b) {
    for (std::int64_t p = 0; p * k.panel_columns < kCols; ++p) {
      k.of<T>().pack_panel(b, kWidth, kCols, p, f.panels.data() + p * k.panel_columns * kWidth);
    }
  };
  cases.push_back(
      {name_of<T>("pack_panel, rows"), kCols * kWidth, 0, [&m, pack](const kernels::Table& k) {
         pack(k, {m.weight.data(), kCols, 1});
       }});
  cases.push_back(
      {name_of<T>("pack_panel, columns"), kCols * kWidth, 0, [&m, pack](const kernels::Table& k) {
         pack(k, {m.weight.data(), 1, kWidth});
       }});
  cases.push_back(
      {name_of<T>("multiply_panels"), kTokens * kCols, kFlops, [&](const kernels::Table& k) {
         k.of<T>().multiply_panels({.a = {m.a.data(), kWidth, 1},
                                    .k = kWidth,
                                    .panels = f.panels.data(),
                                    .extent = {kTokens, kCols, kCols},
                                    .c = f.tile.data(),
                                    .accumulate = false,
                                    .workspace = f.workspace.data()});
       }});
}

template <class T>
void add_activation_cases(Floats& f, Activations<T>& m, std::vector<Case>& cases) {
  add_elementwise_cases(f, m, cases);
  add_gemm_cases(f, m, cases);
  add_norm_cases(f, m, cases);
  add_attention_cases(f, m, cases);
}

double seconds_of(const Case& item, const kernels::Table& table, int calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) item.run(table);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

void measure(const Case& item) {
  constexpr int kRounds = 9;
  constexpr double kSecondsARound = 0.01;
  const std::vector<const kernels::Table*> tables = kernels::usable_tables();
  std::vector<std::vector<double>> seconds(tables.size());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const double once = seconds_of(item, *tables[t], 1);
      const int calls = std::clamp(static_cast<int>(kSecondsARound / once), 1, 1000);
      seconds[t].push_back(seconds_of(item, *tables[t], calls));
    }
  }
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const double middle = median(seconds[t]);
    fmt::print("{:<28}{:<12}{:>10.2f}{:>14.3f}{:>10}\n", item.name, tables[t]->name, middle * 1e6,
               middle * 1e9 / item.elements,
               item.flops > 0 ? fmt::format("{:.1f}", item.flops / middle / 1e9) : "-");
  }
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  tandem::Floats floats;
  tandem::Activations<float> fp32;
  tandem::Activations<tandem::BFloat16> bf16;
  std::vector<tandem::Case> cases;
  tandem::add_activation_cases(floats, fp32, cases);
  tandem::add_activation_cases(floats, bf16, cases);
  tandem::add_plain_cases(floats, cases);
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  fmt::print("{:<28}{:<12}{:>10}{:>14}{:>10}\n", "kernel", "set", "us a call", "ns an element",
             "GFLOP/s");
  for (const tandem::Case& item : cases) {
    if (wanted.empty() || std::ranges::find(wanted, item.name) != wanted.end()) {
      tandem::measure(item);
    }
  }
}
