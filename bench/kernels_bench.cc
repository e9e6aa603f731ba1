// Times every kernel of every kernel set usable here, at BERT-base's sizes, on one thread:
// build/release/kernels_bench [name ...]. Sets take turns, so that a change of the machine's speed
// falls on all of them; figures are medians.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/median.h"
#include "kernels/dispatch.h"
#include "support/random_floats.h"

namespace tandem {
namespace {

using testing::random_floats;

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
struct Arrays {
  std::vector<float> a = random_floats(kTokens * kIntermediate, 1);
  std::vector<float> b = random_floats(kTokens * kIntermediate, 2);
  std::vector<float> c = random_floats(kTokens * kIntermediate, 3);
  std::vector<float> d = random_floats(kTokens * kIntermediate, 4);
  // Where GELU's derivative is 1, so that a gradient used again and again doesn't vanish.
  std::vector<float> positive = std::vector<float>(kTokens * kIntermediate, 8.0F);
  std::vector<float> weight = random_floats(kWidth * kWidth, 8);
  std::vector<float> panels = random_floats(kWidth * kWidth, 9);
  std::vector<float> columns[3] = {random_floats(kIntermediate, 5), random_floats(kIntermediate, 6),
                                   random_floats(kIntermediate, 7)};
  std::vector<float> rows = std::vector<float>(kTokens, 1.0F);
  std::vector<float> workspace = std::vector<float>(
      static_cast<std::size_t>(kernels::attention_workspace_floats(kTokens, kHeadWidth)));
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(kElements);
  std::vector<std::int32_t> sums = std::vector<std::int32_t>(kElements, 1000);
  std::vector<std::int32_t> offsets = std::vector<std::int32_t>(kWidth, 10);
  std::vector<std::uint32_t> samples = std::vector<std::uint32_t>(kTokens, 7);
  std::vector<std::int32_t> positions = std::vector<std::int32_t>(kTokens, 3);
};

constexpr kernels::DropoutKey kDropout = {
    .seed = {1, 2}, .step = 3, .site = 1, .threshold = 429496730U, .scale = 1 / 0.9F};

void add_elementwise_cases(Arrays& m, std::vector<Case>& cases) {
  cases.push_back({"add_bias", kElements, 0, [&m](const kernels::Table& k) {
                     k.add_bias(m.a.data(), m.columns[0].data(), kNarrow);
                   }});
  cases.push_back({"add_column_sums", kElements, 0, [&m](const kernels::Table& k) {
                     k.add_column_sums(m.a.data(), kNarrow, m.columns[0].data());
                   }});
  cases.push_back({"add", kElements, 0,
                   [&m](const kernels::Table& k) { k.add(m.a.data(), kElements, m.b.data()); }});
  cases.push_back({"sum_of_squares", kElements, 0, [&m](const kernels::Table& k) {
                     m.rows[0] = static_cast<float>(k.sum_of_squares(m.a.data(), kElements));
                   }});
  cases.push_back({"bias_gelu_forward", kTokens * kIntermediate, 0, [&m](const kernels::Table& k) {
                     std::fill(m.columns[1].begin(), m.columns[1].end(), 0.0F);
                     k.bias_gelu_forward(m.a.data(), m.columns[1].data(), kWide, m.b.data());
                   }});
  cases.push_back({"gelu_backward", kTokens * kIntermediate, 0, [&m](const kernels::Table& k) {
                     k.gelu_backward(m.positive.data(), kWide, m.c.data(), m.b.data(),
                                     m.columns[0].data());
                   }});
  cases.push_back(
      {"dropout", kElements, 0, [&m](const kernels::Table& k) {
         k.dropout(kDropout, {m.samples.data(), m.positions.data()}, kNarrow, m.d.data());
       }});
  cases.push_back({"scale_and_shift", kElements, 0, [&m](const kernels::Table& k) {
                     k.scale_and_shift(m.a.data(), m.columns[1].data(), m.columns[2].data(),
                                       kNarrow, m.b.data());
                   }});
  cases.push_back({"quantize_rows", kElements, 0, [&m](const kernels::Table& k) {
                     k.quantize_rows(m.a.data(), kNarrow, m.bytes.data(), m.rows.data());
                   }});
  cases.push_back({"dequantize_tile", kElements, 0, [&m](const kernels::Table& k) {
                     k.dequantize_tile(m.sums.data(), m.rows.data(), m.columns[0].data(),
                                       m.offsets.data(), kNarrow, m.b.data());
                   }});
  cases.push_back({"adamw", kLargeArray, 0, [&m](const kernels::Table& k) {
                     const kernels::AdamWUpdate update = {.gradient_scale = 1,
                                                          .beta1 = 0.9F,
                                                          .beta2 = 0.999F,
                                                          .epsilon = 1e-8F,
                                                          .one_minus_beta1 = 0.1F,
                                                          .one_minus_beta2 = 0.001F,
                                                          .decay_factor = 1,
                                                          .step_size = 0,
                                                          .inverse_sqrt_correction2 = 1};
                     k.adamw(update, kLargeArray, m.a.data(), m.b.data(), m.c.data(),
                             m.positive.data());
                   }});
}

void add_norm_cases(Arrays& m, std::vector<Case>& cases) {
  cases.push_back({"residual_norm_forward", kElements, 0, [&m](const kernels::Table& k) {
                     k.residual_norm_forward({.x = m.a.data(),
                                              .bias = m.columns[0].data(),
                                              .residual = m.b.data(),
                                              .tokens = {m.samples.data(), m.positions.data()},
                                              .gamma = m.columns[1].data(),
                                              .beta = m.columns[2].data(),
                                              .epsilon = 1e-12F,
                                              .normalized = m.c.data(),
                                              .rstd = m.rows.data(),
                                              .y = m.d.data()},
                                             kDropout, kNarrow);
                   }});
  cases.push_back({"residual_norm_backward", kElements, 0, [&m](const kernels::Table& k) {
                     k.residual_norm_backward({.dy = m.a.data(),
                                               .normalized = m.b.data(),
                                               .rstd = m.rows.data(),
                                               .gamma = m.columns[1].data(),
                                               .tokens = {m.samples.data(), m.positions.data()},
                                               .dsum = m.c.data(),
                                               .dx = m.d.data(),
                                               .d_gamma = m.columns[0].data(),
                                               .d_beta = m.columns[0].data(),
                                               .d_bias = m.columns[0].data()},
                                              kDropout, kNarrow);
                   }});
}

kernels::AttentionHead head_of(Arrays& m) {
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
          .workspace = m.workspace.data()};
}

void add_attention_cases(Arrays& m, std::vector<Case>& cases) {
  constexpr double kPairs = kTokens * kTokens;
  cases.push_back(
      {"attention_forward", kPairs, 4 * kPairs * kHeadWidth, [&m](const kernels::Table& k) {
         k.attention_forward(head_of(m), m.b.data(), kWidth, m.rows.data(), 1);
       }});
  cases.push_back(
      {"attention_backward", kPairs, 10 * kPairs * kHeadWidth, [&m](const kernels::Table& k) {
         k.attention_backward(head_of(m), m.b.data(), m.c.data(), kWidth, m.rows.data(), 1,
                              m.d.data(), m.d.data() + kWidth, m.d.data() + 2 * kWidth);
       }});
}

// A tile of a product: the tokens of a sequence by a part of the intermediate layer.
void add_gemm_cases(Arrays& m, std::vector<Case>& cases) {
  constexpr std::int64_t kCols = 384;
  constexpr double kFlops = 2.0 * kTokens * kCols * kWidth;
  cases.push_back({"pack_panel, rows", kCols * kWidth, 0, [&m](const kernels::Table& k) {
                     for (std::int64_t p = 0; p * k.panel_columns < kCols; ++p) {
                       k.pack_panel({m.weight.data(), kCols, 1}, kWidth, kCols, p,
                                    m.panels.data() + p * k.panel_columns * kWidth);
                     }
                   }});
  cases.push_back({"pack_panel, columns", kCols * kWidth, 0, [&m](const kernels::Table& k) {
                     for (std::int64_t p = 0; p * k.panel_columns < kCols; ++p) {
                       k.pack_panel({m.weight.data(), 1, kWidth}, kWidth, kCols, p,
                                    m.panels.data() + p * k.panel_columns * kWidth);
                     }
                   }});
  cases.push_back({"multiply_panels", kTokens * kCols, kFlops, [&m](const kernels::Table& k) {
                     k.multiply_panels({.a = {m.a.data(), kWidth, 1},
                                        .k = kWidth,
                                        .panels = m.panels.data(),
                                        .extent = {kTokens, kCols, kCols},
                                        .c = m.b.data(),
                                        .accumulate = false,
                                        .workspace = m.d.data()});
                   }});
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
    fmt::print("{:<24}{:<12}{:>10.2f}{:>14.3f}{:>10}\n", item.name, tables[t]->name, middle * 1e6,
               middle * 1e9 / item.elements,
               item.flops > 0 ? fmt::format("{:.1f}", item.flops / middle / 1e9) : "-");
  }
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  tandem::Arrays arrays;
  std::vector<tandem::Case> cases;
  tandem::add_elementwise_cases(arrays, cases);
  tandem::add_gemm_cases(arrays, cases);
  tandem::add_norm_cases(arrays, cases);
  tandem::add_attention_cases(arrays, cases);
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  fmt::print("{:<24}{:<12}{:>10}{:>14}{:>10}\n", "kernel", "set", "us a call", "ns an element",
             "GFLOP/s");
  for (const tandem::Case& item : cases) {
    if (wanted.empty() || std::ranges::find(wanted, item.name) != wanted.end()) {
      tandem::measure(item);
    }
  }
}
