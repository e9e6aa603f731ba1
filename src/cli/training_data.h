#pragma once
// The tables of a training run: which rows it learns from, is judged by and predicts.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared_flags.h"
#include "data/read_examples.h"

namespace tandem {

struct DataFlags {
  std::string task_name;  // one of GLUE's, with data_dir
  std::string data_dir;
  std::string rows;                                    // train_file, as the only thing said of data
  std::string train_file, validation_file, test_file;  // own files
  std::string format = "tsv";                          // of the one that is standard input
  double validation_split = 0;                         // share of the training rows
  std::string class_weights;                           // "balanced" or a file; empty: none
  ColumnFlags columns;
  bool do_regression = false;
  std::int64_t max_train_samples = -1, max_eval_samples = -1, max_predict_samples = -1;  // -1: all
  std::int64_t max_seq_length = 128;
  LongText long_text = LongText::kHead;

  // Whether anything was said of rows to evaluate on.
  bool has_evaluation() const {
    return !validation_file.empty() || !task_name.empty() || validation_split > 0;
  }
};

// Which of the three are wanted.
struct DataNeeds {
  bool train, evaluate, predict;
};

// A set of rows to evaluate or predict. `suffix` tells several apart: "_mm" for MNLI's second.
struct NamedExamples {
  std::string suffix;
  ExampleSet examples;
};

struct TrainingData {
  std::string name;  // of the task; empty for own files
  LabelScheme labels;
  std::vector<std::string> metrics;  // names; the first is the one that matters most
  std::vector<float> class_weights;  // [K]; empty: 1 each
  std::optional<ExampleSet> train;
  std::vector<NamedExamples> evaluate, predict;
};

// Reads and checks all files that are needed before anything else is done, and says what the
// columns, the labels and the kind of problem were taken to be. `model_labels` are used where there
// are no rows to learn from; `seed` decides which rows are held out. Throws UsageError and
// DataError.
TrainingData read_training_data(const DataFlags&, const DataNeeds&,
                                const std::optional<LabelScheme>& model_labels, std::uint64_t seed);

// accuracy, with f1 where there are two classes; f1_micro and f1_macro for several labels at once;
// pearson and spearmanr for regression.
std::vector<std::string> default_metrics(const LabelScheme& labels);

// Those of a GLUE task, the one that decides first.
std::vector<std::string> task_metrics(const Task& task);

// -1 means all.
std::int64_t sample_limit(std::int64_t flag);

}  // namespace tandem
