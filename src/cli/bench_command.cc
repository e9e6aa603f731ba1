// tandem bench: what this machine can do, and how much of it a training step uses.
#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/cpu.h"
#include "base/error.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/shared_flags.h"
#include "formats/json.h"
#include "model/bert_classifier.h"
#include "model/model_directory.h"
#include "model/presets.h"
#include "nn/gemm_benchmark.h"
#include "train/step_benchmark.h"

namespace tandem {
namespace {

struct BenchFlags {
  std::string model, preset = "bert-base-cased", lengths;
  std::int64_t batch_size = 32, steps = 6, tokens = 1704, max_seq_length = 128;
  bool json = false;
  ComputeFlags compute;
};

HfConfig config_of(const BenchFlags& flags) {
  HfConfig config = flags.model.empty()
                        ? preset_config(flags.preset)
                        : read_hf_config(std::filesystem::path(flags.model) / "config.json");
  set_label_scheme(config, {.names = {"0", "1"}});
  return config;
}

// One token count a line.
std::vector<std::int64_t> read_lengths(const BenchFlags& flags) {
  std::ifstream file(flags.lengths);
  if (!file) throw DataError("{}: cannot be read", flags.lengths);
  std::vector<std::int64_t> lengths;
  std::string line;
  while (std::getline(file, line)) {
    char* end = nullptr;
    const long length = std::strtol(line.c_str(), &end, 10);
    if (end == line.c_str() || *end != '\0' || length < 1) {
      throw DataError("{}:{}: expected a token count, found \"{}\"", flags.lengths,
                      lengths.size() + 1, printable(line));
    }
    lengths.push_back(std::min<std::int64_t>(length, flags.max_seq_length));
  }
  if (static_cast<std::int64_t>(lengths.size()) < flags.batch_size) {
    throw DataError("{}: has {} lengths, a batch needs {}", flags.lengths, lengths.size(),
                    flags.batch_size);
  }
  return lengths;
}

// Lengths of a batch when no file gives any: around 53, as MRPC's pairs.
std::vector<std::int64_t> usual_lengths(const BenchFlags& flags) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < flags.batch_size * 8; ++i) lengths.push_back(33 + i * 7 % 41);
  return lengths;
}

void bench_gemm(const BenchFlags& flags) {
  Compute compute = make_compute(flags.compute);
  const BertConfig config = config_of(flags).bert;
  const std::vector<GemmRate> rates = measure_gemm(
      encoder_layer_shapes(flags.tokens, config.hidden_size, config.intermediate_size), compute, 5);
  if (flags.json) {
    nlohmann::json shapes = nlohmann::json::array();
    for (const GemmRate& rate : rates) {
      shapes.push_back({{"name", rate.shape.name},
                        {"rows", rate.shape.rows},
                        {"cols", rate.shape.cols},
                        {"inner", rate.shape.inner},
                        {"gflops", rate.flops_per_second() / 1e9}});
    }
    const nlohmann::json result = {{"shapes", shapes}, {"gemm_gflops", combined_rate(rates) / 1e9}};
    fmt::print("{}\n", python_json(result, {.indent = std::nullopt}));
    return;
  }
  fmt::print("{:<28}{:>8}{:>8}{:>8}{:>10}\n", "product", "rows", "cols", "inner", "GFLOP/s");
  for (const GemmRate& rate : rates) {
    fmt::print("{:<28}{:>8}{:>8}{:>8}{:>10.0f}\n", rate.shape.name, rate.shape.rows,
               rate.shape.cols, rate.shape.inner, rate.flops_per_second() / 1e9);
  }
  fmt::print("{:<52}{:>10.0f}\n", "all, weighted by their FLOPs", combined_rate(rates) / 1e9);
}

void bench_step(const BenchFlags& flags) {
  Compute compute = make_compute(flags.compute);
  const std::vector<std::int64_t> lengths =
      flags.lengths.empty() ? usual_lengths(flags) : read_lengths(flags);
  const LoadedModel model = new_model(config_of(flags), 42, compute.pool());
  const BertConfig& config = model.config.bert;
  const BertClassifier classifier(config, model.params, 2);
  const ClassifierModel view{.classifier = classifier,
                             .table = model.table,
                             .weights = model.weights,
                             .problem = ProblemKind::kSingleLabel,
                             .outputs = 2};
  const TokenDataset dataset = random_dataset(lengths, config.vocab_size);
  check_dataset_fits(dataset, config);
  const StepBenchmark result =
      measure_steps(view, config, dataset, flags.batch_size, flags.steps, compute);
  const auto peak = peak_resident_memory_bytes();
  if (flags.json) {
    const nlohmann::json object = {{"seconds_per_step", result.median_seconds},
                                   {"samples_per_second", result.samples_per_second},
                                   {"gemm_gflops", result.gemm_flops_per_second / 1e9},
                                   {"step_gflops", result.step_flops_per_second / 1e9},
                                   {"step_share_of_gemm", result.share_of_gemm()},
                                   {"peak_memory_bytes", peak},
                                   {"seconds", result.seconds}};
    fmt::print("{}\n", python_json(object, {.indent = std::nullopt}));
    return;
  }
  fmt::print("{:<36}{:>10.3f}\n", "seconds a step (median)", result.median_seconds);
  fmt::print("{:<36}{:>10.2f}\n", "samples a second", result.samples_per_second);
  fmt::print("{:<36}{:>10.0f}\n", "the step's products, GFLOP/s",
             result.step_flops_per_second / 1e9);
  fmt::print("{:<36}{:>10.0f}\n", "products alone, GFLOP/s", result.gemm_flops_per_second / 1e9);
  fmt::print("{:<36}{:>9.0f}%\n", "share", 100 * result.share_of_gemm());
  fmt::print("{:<36}{:>7.2f} GB\n", "peak memory", static_cast<double>(peak) / 1e9);
}

void add_model_flags(CLI::App& command, BenchFlags& flags) {
  command
      .add_option("--preset", flags.preset,
                  "sizes of bert-base-cased, bert-base-uncased, bert-large-cased or minilm-l6")
      ->capture_default_str();
  command.add_option("--model", flags.model, "sizes of this model directory's config.json instead");
  add_json_flag(command, flags.json);
  add_compute_flags(command, flags.compute);
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

  CLI::App& step = *command.add_subcommand("step", "whole training steps, and their share of that");
  step.add_option("--lengths,--order", flags->lengths,
                  "file with one sequence's token count a line; consecutive lines make a batch");
  step.add_option("--batch-size", flags->batch_size, "sequences of a step")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  step.add_option("--steps", flags->steps, "steps to train; the first isn't counted")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  step.add_option("--max-seq-length", flags->max_seq_length, "longer lengths are cut")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  add_model_flags(step, *flags);
  step.callback([flags] { bench_step(*flags); });

  CLI::App& kernels = *command.add_subcommand("kernels", "the kernel sets usable here, best first");
  kernels.callback([] {
    for (const kernels::Table* table : kernels::usable_tables()) fmt::print("{}\n", table->name);
  });
}

}  // namespace tandem
