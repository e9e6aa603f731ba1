// tandem bench step and tandem bench predict: the whole model with random weights.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/cpu.h"
#include "base/error.h"
#include "base/printable.h"
#include "cli/bench_flags.h"
#include "cli/phase_report.h"
#include "formats/json.h"
#include "model/bert_classifier.h"
#include "model/model_directory.h"
#include "train/step_benchmark.h"

namespace tandem {
namespace {

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
    lengths.push_back(length);
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

// Of the sequences of all steps; those given are taken again from the first when they are too few.
std::vector<std::int64_t> lengths_of(const BenchFlags& flags) {
  const std::vector<std::int64_t> given =
      flags.lengths.empty() ? usual_lengths(flags) : read_lengths(flags);
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < flags.batch_size * flags.steps; ++i) {
    lengths.push_back(
        std::min(given[static_cast<std::size_t>(i) % given.size()], flags.max_seq_length));
  }
  return lengths;
}

// A classifier with random weights, and random sequences for it.
class BenchModel {
 public:
  BenchModel(const BenchFlags& flags, PrecisionRequest precision, Compute& compute)
      : loaded_(new_model(config_of(flags), 42, compute.pool())),
        classifier_(make_bert_classifier(config(), loaded_.params, kLabels,
                                         make_precision(precision, config(), compute))),
        bf16_weights_(
            make_bf16_weights(classifier_, loaded_.table, loaded_.weights, compute.pool())),
        dataset_(random_dataset(lengths_of(flags), config().vocab_size)) {
    check_dataset_fits(dataset_, config());
  }
  const BertConfig& config() const { return loaded_.config.bert; }
  const TokenDataset& dataset() const { return dataset_; }
  ClassifierModel view() {
    return {.classifier = classifier_,
            .table = loaded_.table,
            .weights = loaded_.weights,
            .bf16_weights = bf16_weights_,
            .problem = ProblemKind::kSingleLabel,
            .outputs = kLabels,
            .quantized = quantized_.get()};
  }
  void quantize(const Compute& compute) {
    if (!compute.multiplies_int8()) {
      throw MachineError("--int8: this CPU, or --kernels, has neither AVX-512 VNNI nor AMX");
    }
    quantized_ =
        std::make_unique<QuantizedWeights>(Weights{loaded_.weights}, encoder_weights(classifier_));
  }

 private:
  static constexpr std::int64_t kLabels = 2;
  LoadedModel loaded_;
  AnyBertClassifier classifier_;
  std::vector<BFloat16> bf16_weights_;
  TokenDataset dataset_;
  std::unique_ptr<QuantizedWeights> quantized_;
};

void print_step_summary(const StepBenchmark& result) {
  const auto line = [](const char* what, const std::string& value) {
    fmt::print("{:<36}{:>12}\n", what, value);
  };
  fmt::print("\n");
  line("seconds a step (median)", fmt::format("{:.3f}", result.median_seconds));
  line("samples a second", fmt::format("{:.2f}", result.samples_per_second));
  line("the step's products, GFLOP/s", fmt::format("{:.0f}", result.step_flops_per_second / 1e9));
  line("products alone, GFLOP/s", fmt::format("{:.0f}", result.gemm_flops_per_second / 1e9));
  line("share", fmt::format("{:.0f}%", 100 * result.share_of_gemm()));
  line("memory, GB/s", fmt::format("{:.1f}", result.memory_bytes_per_second / 1e9));
}

}  // namespace

void bench_step(const BenchFlags& flags) {
  Compute compute = make_compute(flags.compute);
  BenchModel model(flags, flags.compute.precision, compute);
  const StepBenchmark result = measure_steps(model.view(), model.config(), model.dataset(),
                                             flags.batch_size, flags.steps, compute);
  const auto peak = peak_resident_memory_bytes();
  if (!flags.trace.empty()) write_trace(result, flags.trace);
  if (flags.json) {
    const nlohmann::json object = {
        {"precision", name_of(precision_of(model.view().classifier))},
        {"seconds_per_step", result.median_seconds},
        {"samples_per_second", result.samples_per_second},
        {"gemm_gflops", result.gemm_flops_per_second / 1e9},
        {"memory_gigabytes_per_second", result.memory_bytes_per_second / 1e9},
        {"step_gflops", result.step_flops_per_second / 1e9},
        {"step_share_of_gemm", result.share_of_gemm()},
        {"peak_memory_bytes", peak},
        {"seconds", result.seconds},
        {"phases", phases_json(result)}};
    fmt::print("{}\n", python_json(object, {.indent = std::nullopt}));
    return;
  }
  print_phases(result);
  print_step_summary(result);
  fmt::print("{:<36}{:>9.2f} GB\n", "peak memory", static_cast<double>(peak) / 1e9);
}

void bench_predict(const BenchFlags& flags) {
  if (flags.int8 && flags.compute.precision == PrecisionRequest::kBf16) {
    throw UsageError("--int8 multiplies integers, not --precision bf16; leave out one of them");
  }
  Compute compute = make_compute(flags.compute);
  // What isn't multiplied as 8-bit integers is fp32.
  BenchModel model(flags, flags.int8 ? PrecisionRequest::kFp32 : flags.compute.precision, compute);
  if (flags.int8) model.quantize(compute);
  const std::string_view precision =
      flags.int8 ? "int8" : name_of(precision_of(model.view().classifier));
  const double samples_per_second =
      measure_prediction(model.view(), model.dataset(), flags.batch_size, compute);
  const double seconds = static_cast<double>(flags.batch_size) / samples_per_second;
  const auto peak = peak_resident_memory_bytes();
  if (flags.json) {
    const nlohmann::json object = {{"precision", precision},
                                   {"seconds_per_step", seconds},
                                   {"samples_per_second", samples_per_second},
                                   {"peak_memory_bytes", peak}};
    fmt::print("{}\n", python_json(object, {.indent = std::nullopt}));
    return;
  }
  fmt::print("{:<36}{:>12.3f}\n", "seconds a batch", seconds);
  fmt::print("{:<36}{:>12.2f}\n", "samples a second", samples_per_second);
  fmt::print("{:<36}{:>9.2f} GB\n", "peak memory", static_cast<double>(peak) / 1e9);
}

}  // namespace tandem
