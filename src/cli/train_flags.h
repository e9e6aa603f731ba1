#pragma once
// The options of `tandem train`, with the names and defaults of run_glue.py and TrainingArguments.

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/job.h"
#include "cli/shared_flags.h"
#include "cli/training_data.h"
#include "train/trainer.h"
#include "train/training_loop.h"

namespace tandem {

struct TrainFlags {
  std::string model;
  std::string output_dir;
  bool overwrite_output_dir = false;
  bool ignore_mismatched_sizes = false;
  bool do_train = false, do_eval = false, do_predict = false;
  DataFlags data;
  TrainerOptions trainer;
  LoopOptions loop;
  std::int64_t eval_batch_size = 8;
  std::string speed_report;  // a file; empty: none
  ComputeFlags compute;
  JobFlags job;
};

void add_train_flags(CLI::App& command, TrainFlags& flags);

// Throws UsageError for options that contradict each other or lack what they need.
void check_train_flags(const TrainFlags& flags);

// What follows when rows were named and nothing else: they are the training file, and unless
// something was said of it a tenth of them is held out. Throws UsageError when another source of
// rows is named as well.
void complete_train_flags(TrainFlags& flags);

// All options with their values, as training_args.json keeps them.
std::string train_flags_json(const CLI::App& command, const TrainFlags& flags);

}  // namespace tandem
