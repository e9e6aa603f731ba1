#pragma once
// What `tandem evaluate` and `tandem predict` have in common: a fine-tuned model asked about a
// file.

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/hub_flags.h"
#include "cli/model_session.h"
#include "cli/shared_flags.h"
#include "data/read_examples.h"
#include "train/evaluator.h"
#include "train/run_log.h"

namespace tandem {

struct QuestionFlags {
  std::string model;
  HubFlags hub;                // where a model by name comes from
  std::string data;            // a file, or "-" for standard input
  std::string format = "txt";  // of standard input
  std::string task_name;       // columns as in this GLUE task's files
  ColumnFlags columns;
  std::int64_t max_seq_length = 128;
  LongText long_text = LongText::kHead;
  std::int64_t batch_size = 32;
  bool json = false;
  ComputeFlags compute;
};
void add_question_flags(CLI::App& command, QuestionFlags& flags);

// A model with its answers to the rows of a file.
struct Answers {
  ModelSession session;
  ExampleSet examples;
  TokenDataset dataset;
  Predictions predictions;
  double seconds;                                            // of prediction alone
  std::vector<std::pair<std::string, std::string>> machine;  // as a report shows it
};
// Loads the model, reads the rows and predicts them, with progress.
Answers ask(const QuestionFlags& flags, LabelNeed need);
// How good they are: the task's metrics, or those of the kind of labels.
Results results_of(const QuestionFlags& flags, const Answers& answers);

}  // namespace tandem
