#pragma once
// One training on rank 0: learn, evaluate, predict and save, as run_glue.py does.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/job.h"
#include "cli/model_session.h"
#include "cli/output_directory.h"
#include "cli/resume_point.h"
#include "cli/run_checkpoints.h"
#include "cli/run_reports.h"
#include "cli/train_flags.h"
#include "cli/training_data.h"
#include "train/run_log.h"
#include "train/training_loop.h"

namespace tandem {

// The rows of a job, read and encoded once however many trainings it makes of them.
struct TrainInputs {
  DataNeeds needs{};
  bool evaluates_at_the_end = false;
  TrainingData data;
  EncodingLimits limits;
  std::vector<TokenDataset> evaluation_sets;
  std::optional<TokenDataset> training_set;
  std::string training_hash;  // of training_set
};

// Where a run's files go, and whether its results are printed: of several runs a table is.
struct RunPlace {
  std::filesystem::path output;
  bool prints_results = true;
};

struct RunOutcome {
  std::optional<LoopResult> trained;
  Results evaluation;  // of the end; empty without one
};

class TrainRun {
 public:
  // The session is prepared and, with several ranks, shared already; everything must outlive this.
  TrainRun(const TrainFlags& flags, std::string flags_json, const Job& job, Compute& compute,
           const TrainInputs& inputs, ModelSession& session, const OutputDirectory& volume,
           RunPlace place, std::optional<ResumePoint> resumed);

  RunOutcome run();

 private:
  LoopResult train(const TokenDataset& dataset);
  void say_plan(const Trainer& trainer) const;
  void check_space(const Trainer& trainer) const;
  void judge_pace(const SpeedRecord& speed) const;
  void warn_of_earlier(const Checkpoints& checkpoints) const;
  TrainingProgress go_on(Trainer& trainer);
  void save_checkpoint(const Trainer& trainer, const TrainingProgress& so_far,
                       RunCheckpoints& checkpoints);
  [[noreturn]] void end_interrupted(const Trainer& trainer, const LoopResult& result,
                                    RunCheckpoints& checkpoints);
  SavedTraining saved_training(const Trainer& trainer, const TrainingProgress& so_far) const;
  void take_best(const LoopResult& result, const Checkpoints& checkpoints);
  double flos_of(std::int64_t tokens) const;
  Results train_results(const TokenDataset& dataset, const LoopResult& result) const;
  void save_model(const Trainer& trainer, const LoopResult& result, const Results& results);
  std::string trainer_state(const Trainer& trainer, const TrainingProgress& so_far) const;
  Results evaluate_all();
  Predictions answers_of(const TokenDataset& dataset);
  void predict_set(const NamedExamples& set, const TokenDataset& dataset);
  void save_results(const std::string& phase, const Results& results);
  SpeedReport measured_speed(const LoopResult& result, const Results& evaluation) const;
  void save_speed(const SpeedReport& report) const;
  void finish_reports(const RunOutcome& outcome, SpeedReport speed) const;
  void show_results(const std::string& phase, const Results& results);
  void show_all() const;

  const TrainFlags& flags_;
  std::string flags_json_;
  const Job& job_;
  Compute& compute_;
  const TrainInputs& inputs_;
  ModelSession& session_;
  const OutputDirectory& volume_;
  RunPlace place_;
  std::optional<ResumePoint> resumed_;
  RunReports reports_;
  RunLog log_;
  Results shown_;
  std::optional<double> epoch_;
  std::int64_t examples_of_update_ = 0;
};

}  // namespace tandem
