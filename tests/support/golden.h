#pragma once
// Expected numbers from the reference implementation (tests/golden/README.md).

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "data/packed_batch.h"
#include "formats/safetensors.h"
#include "model/bert_classifier.h"
#include "model/model_directory.h"
#include "nn/compute.h"
#include "support/kernels_under_test.h"
#include "train/batch_step.h"
#include "train/trainer.h"

namespace tandem::testing {

inline std::filesystem::path golden_path(const std::string& name) {
  return std::filesystem::path(TANDEM_TEST_DATA_DIR) / "golden" / name;
}

// A file of expected tensors.
class Golden {
 public:
  explicit Golden(const std::string& file) : file_(SafetensorsFile::open(golden_path(file))) {}

  std::vector<float> values(const std::string& name) const {
    for (const TensorInfo& tensor : file_.header().tensors) {
      if (tensor.name != name) continue;
      std::vector<float> values(static_cast<std::size_t>(tensor.elements));
      file_.read_f32(tensor, values);
      return values;
    }
    TANDEM_CHECK(false, "no tensor {}", name);
  }
  double value(const std::string& name) const { return double{values(name).front()}; }

  // The file's batch as a data set: example b is sequence b.
  TokenDataset dataset(const std::string& labels = "labels") const {
    TokenDataset dataset;
    const auto whole = [&](const std::string& name) {
      std::vector<std::int32_t> numbers;
      for (const float value : values(name)) numbers.push_back(static_cast<std::int32_t>(value));
      return numbers;
    };
    dataset.ids = whole("ids");
    dataset.segments = whole("segments");
    for (const std::int32_t start : whole("starts")) dataset.starts.push_back(start);
    dataset.labels = values(labels);
    for (std::size_t b = 0; b < dataset.labels.size(); ++b) {
      dataset.lines.push_back(static_cast<std::int64_t>(b) + 1);
    }
    return dataset;
  }

  // The sequences of training step `step`.
  std::vector<std::uint32_t> step_sequences(std::int64_t step) const {
    const std::vector<float> all = values("step_sequences");
    const std::size_t each = all.size() / values("losses").size();
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < each; ++i) {
      chosen.push_back(static_cast<std::uint32_t>(all[static_cast<std::size_t>(step) * each + i]));
    }
    return chosen;
  }

 private:
  SafetensorsFile file_;
};

// A loaded model with all that is needed to run it, dropout off.
class GoldenModel {
 public:
  GoldenModel(const std::filesystem::path& directory, std::int64_t outputs, int threads = 2,
              ProblemKind kind = ProblemKind::kSingleLabel, Precision precision = Precision::kFp32,
              Bf16Products bf16_products = Bf16Products::kBest)
      : loaded(load_model(
            directory,
            {.outputs = outputs, .allow_new_head = true, .ignore_mismatched_sizes = true})),
        classifier(make_bert_classifier(loaded.config.bert, loaded.params, outputs, precision)),
        compute(kernels_under_test(), threads, {}, bf16_products),
        bf16_weights(make_bf16_weights(classifier, loaded.table, loaded.weights, compute.pool())),
        arena(std::int64_t{1} << 30),
        gradients(loaded.weights.size()),
        view{.classifier = classifier,
             .table = loaded.table,
             .weights = loaded.weights,
             .bf16_weights = bf16_weights,
             .problem = kind,
             .outputs = outputs} {}

  void set_head(const std::vector<float>& weight, const std::vector<float>& bias) {
    std::ranges::copy(weight, loaded.weights.data() + loaded.params.classifier.weight.offset);
    std::ranges::copy(bias, loaded.weights.data() + loaded.params.classifier.bias.offset);
    std::ranges::copy(make_bf16_weights(classifier, loaded.table, loaded.weights, compute.pool()),
                      bf16_weights.begin());
  }

  std::vector<float> logits(const PackedBatch& batch) {
    const ArenaScope scope(arena);
    const Matrix<float> result = predict_batch(view, batch, compute, arena);
    return {result.data, result.data + result.rows * result.cols};
  }

  // Loss of the batch, and its gradients in `gradients`.
  double loss_and_gradients(const PackedBatch& batch, const Dropout& dropout = {}) {
    const TrainingBatch work{.batch = batch,
                             .dropout = dropout,
                             .divisor = static_cast<double>(batch.sequences()),
                             .accumulate = false};
    return forward_and_backward(view, work, Gradients{gradients}, compute, arena,
                                [](std::int64_t) {});
  }

  std::span<const float> gradient(const ParamSlice& slice) const {
    return std::span<const float>(gradients).subspan(static_cast<std::size_t>(slice.offset),
                                                     static_cast<std::size_t>(slice.size()));
  }

  LoadedModel loaded;
  AnyBertClassifier classifier;
  Compute compute;
  std::vector<BFloat16> bf16_weights;
  Arena arena;
  std::vector<float> gradients;
  ClassifierModel view;
};

inline double norm_of(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += double{value} * double{value};
  return std::sqrt(sum);
}

inline std::vector<std::uint32_t> all_examples(const TokenDataset& dataset) {
  std::vector<std::uint32_t> examples(static_cast<std::size_t>(dataset.size()));
  for (std::size_t i = 0; i < examples.size(); ++i) examples[i] = static_cast<std::uint32_t>(i);
  return examples;
}

// The losses of 20 updates on the golden file's own batches, and the gradient norms before each.
struct TrainingCurve {
  std::vector<double> losses, norms;
};
TrainingCurve train_as_golden(GoldenModel& model, const Golden& golden, const Schedule&,
                              double weight_decay);

}  // namespace tandem::testing
