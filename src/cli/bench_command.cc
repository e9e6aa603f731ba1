// tandem bench: what this machine can do, and how much of it a training step uses.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/cpu.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "cli/bench_flags.h"
#include "cli/commands.h"
#include "formats/json.h"
#include "model/encoder_extent.h"
#include "model/model_directory.h"
#include "model/presets.h"
#include "nn/gemm_benchmark.h"
#include "nn/int8_benchmark.h"

namespace tandem {

HfConfig config_of(const BenchFlags& flags) {
  HfConfig config = flags.model.empty()
                        ? preset_config(flags.preset)
                        : read_hf_config(model_directory(flags.model, flags.hub) / "config.json");
  set_label_scheme(config, {.names = {"0", "1"}});
  return config;
}

namespace {

constexpr int kRepeats = 5;

// 8-bit products are those of forward maps alone; 0 where there is none, or no fast instruction.
double int8_rate(const GemmShape& shape, Compute& compute) {
  const bool forward = shape.a_transpose == Transpose::kNo && shape.b_transpose == Transpose::kYes;
  if (!forward || !compute.multiplies_int8()) return 0;
  return measure_int8_rate(shape.rows, shape.cols, shape.inner, kRepeats, compute);
}

double gflops(const GemmShape& shape, double seconds) { return shape.flops() / seconds / 1e9; }

// Rates of the same shapes; bf16's are empty where they aren't measured.
struct MeasuredRates {
  std::vector<GemmRate> fp32, bf16;
  std::vector<double> int8;  // operations a second, as int8_rate has it

  // 0 where it isn't measured.
  double bf16_gflops(std::size_t shape) const {
    return bf16.empty() ? 0 : gflops(bf16[shape].shape, bf16[shape].attainable_seconds());
  }
  double bf16_attainable_gflops() const { return bf16.empty() ? 0 : attainable_rate(bf16) / 1e9; }
};

MeasuredRates measure_rates(const BenchFlags& flags, Compute& compute) {
  const BertConfig config = config_of(flags).bert;
  const std::vector<GemmShape> shapes =
      encoder_shapes(encoder_extent(config, flags.tokens, flags.batch_size));
  GemmBenchmark<float> fp32(shapes, compute);
  std::optional<GemmBenchmark<BFloat16>> bf16;
  const PrecisionRequest request = flags.compute.precision;
  if (request == PrecisionRequest::kBf16 ||
      (request == PrecisionRequest::kAuto && compute.multiplies_bf16())) {
    bf16.emplace(shapes, compute);
  }
  Progress progress("products", kRepeats);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    throw_if_interrupted("measuring");
    fp32.run_once();
    if (bf16) bf16->run_once();
    progress.update(repeat + 1);
  }
  progress.clear();
  MeasuredRates rates{.fp32 = fp32.rates(), .bf16 = {}, .int8 = {}};
  if (bf16) rates.bf16 = bf16->rates();
  for (const GemmShape& shape : shapes) rates.int8.push_back(int8_rate(shape, compute));
  return rates;
}

void print_rates_json(const MeasuredRates& rates) {
  nlohmann::json shapes = nlohmann::json::array();
  for (std::size_t i = 0; i < rates.fp32.size(); ++i) {
    const GemmRate& rate = rates.fp32[i];
    shapes.push_back({{"name", rate.shape.name},
                      {"rows", rate.shape.rows},
                      {"cols", rate.shape.cols},
                      {"inner", rate.shape.inner},
                      {"count", rate.shape.count},
                      {"gflops", gflops(rate.shape, rate.our_seconds)},
                      {"onednn_gflops", gflops(rate.shape, rate.onednn_seconds)},
                      {"bf16_gflops", rates.bf16_gflops(i)},
                      {"int8_gops", rates.int8[i] / 1e9}});
  }
  const nlohmann::json result = {{"shapes", shapes},
                                 {"gemm_gflops", attainable_rate(rates.fp32) / 1e9},
                                 {"bf16_gemm_gflops", rates.bf16_attainable_gflops()}};
  fmt::print("{}\n", python_json(result, {.indent = std::nullopt}));
}

void print_rates(const MeasuredRates& rates) {
  const auto figure = [](double value) {
    return value > 0 ? fmt::format("{:.0f}", value) : std::string("-");
  };
  fmt::print("{:<32}{:>8}{:>8}{:>8}{:>8}{:>10}{:>16}{:>14}{:>12}\n", "product", "rows", "cols",
             "inner", "times", "GFLOP/s", "oneDNN GFLOP/s", "bf16 GFLOP/s", "int8 GOP/s");
  for (std::size_t i = 0; i < rates.fp32.size(); ++i) {
    const GemmRate& rate = rates.fp32[i];
    fmt::print("{:<32}{:>8}{:>8}{:>8}{:>8}{:>10.0f}{:>16.0f}{:>14}{:>12}\n", rate.shape.name,
               rate.shape.rows, rate.shape.cols, rate.shape.inner, rate.shape.count,
               gflops(rate.shape, rate.our_seconds), gflops(rate.shape, rate.onednn_seconds),
               figure(rates.bf16_gflops(i)), figure(rates.int8[i] / 1e9));
  }
  fmt::print("{:<64}{:>10.0f}{:>30}\n", "attainable, weighted by FLOPs",
             attainable_rate(rates.fp32) / 1e9, figure(rates.bf16_attainable_gflops()));
}

void bench_gemm(const BenchFlags& flags) {
  Compute compute = make_compute(flags.compute);
  const MeasuredRates rates = measure_rates(flags, compute);
  if (flags.json) {
    print_rates_json(rates);
  } else {
    print_rates(rates);
  }
}

void add_model_flags(CLI::App& command, BenchFlags& flags) {
  command
      .add_option("--preset", flags.preset,
                  "sizes of bert-base-cased, bert-base-uncased, bert-large-cased or minilm-l6")
      ->capture_default_str();
  command.add_option("--model", flags.model,
                     "sizes of this model's config.json instead: a directory or a name on the hub");
  add_hub_flags(command, flags.hub);
  add_json_flag(command, flags.json);
  add_compute_flags(command, flags.compute);
}

void add_sequence_flags(CLI::App& command, BenchFlags& flags) {
  command.add_option("--lengths,--order", flags.lengths,
                     "file with one sequence's token count a line; consecutive lines make a batch");
  command.add_option("--batch-size", flags.batch_size, "sequences of a step")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command.add_option("--steps", flags.steps, "steps to run; the first isn't counted")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  command.add_option("--max-seq-length", flags.max_seq_length, "longer lengths are cut")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
}

void bench_kernels(const BenchFlags& flags) {
  nlohmann::json names = nlohmann::json::array();
  for (const kernels::Table* table : kernels::usable_tables()) {
    names.push_back(table->name);
    if (!flags.json) fmt::print("{}\n", table->name);
  }
  const nlohmann::json object = {{"kernels", names}};
  if (flags.json) fmt::print("{}\n", python_json(object, {.indent = std::nullopt}));
}

void bench_cores(const BenchFlags& flags) {
  const int cores = cpu_limits().usable_cores();
  const nlohmann::json object = {{"cores", cores}};
  fmt::print("{}\n",
             flags.json ? python_json(object, {.indent = std::nullopt}) : fmt::format("{}", cores));
}

}  // namespace

void add_bench_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "bench", "Measure this machine: matrix products, and training steps with random weights.");
  command.require_subcommand(1);
  const auto flags = std::make_shared<BenchFlags>();

  CLI::App& gemm = *command.add_subcommand("gemm", "the rate of the model's matrix products");
  gemm.add_option("--tokens", flags->tokens, "rows of the products: tokens of a batch")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  add_model_flags(gemm, *flags);
  gemm.callback([flags] { bench_gemm(*flags); });

  CLI::App& step = *command.add_subcommand(
      "step", "whole training steps: where their time goes, and their share of that rate");
  add_sequence_flags(step, *flags);
  step.add_option("--trace", flags->trace, "write the last step as a timeline for Perfetto");
  add_model_flags(step, *flags);
  step.callback([flags] { bench_step(*flags); });

  CLI::App& predict = *command.add_subcommand("predict", "prediction alone");
  add_sequence_flags(predict, *flags);
  predict.add_flag("--int8", flags->int8, "with 8-bit weights, as `tandem quantize` makes them");
  add_model_flags(predict, *flags);
  predict.callback([flags] { bench_predict(*flags); });

  CLI::App& kernels = *command.add_subcommand("kernels", "the kernel sets usable here, best first");
  add_json_flag(kernels, flags->json);
  kernels.callback([flags] { bench_kernels(*flags); });

  CLI::App& cores = *command.add_subcommand("cores", "the number of compute threads used here");
  add_json_flag(cores, flags->json);
  cores.callback([flags] { bench_cores(*flags); });
}

}  // namespace tandem
