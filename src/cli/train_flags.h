#pragma once
// The options of `tandem train`, with the names and defaults of run_glue.py and TrainingArguments.

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/hub_flags.h"
#include "cli/job.h"
#include "cli/resume_point.h"
#include "cli/run_reports.h"
#include "cli/shared_flags.h"
#include "cli/training_data.h"
#include "train/loop_options.h"
#include "train/trainer.h"

namespace tandem {

struct TrainFlags {
  std::string model;
  HubFlags hub;  // where a model by name comes from
  std::string output_dir;
  bool overwrite_output_dir = false;
  bool ignore_mismatched_sizes = false;
  ResumeFlags resume;
  bool do_train = false, do_eval = false, do_predict = false;
  DataFlags data;
  TrainerOptions trainer;
  std::string lr_scheduler_type = "linear", lr_scheduler_kwargs;
  LoopOptions loop;
  std::int64_t eval_batch_size = 8;
  std::string speed_report;  // a file; empty: none
  std::int64_t seeds = 1;    // how many trainings, each with the next seed
  std::string autotune;      // a time, as "10m"; empty: nothing is searched
  ReportFlags reports;
  bool json = false;
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
