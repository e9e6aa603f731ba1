#pragma once
// What a run reached, kept as transformers' Trainer keeps it, so that existing tools can read it.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "train/best_model.h"
#include "train/evaluator.h"
#include "train/results.h"
#include "train/trainer.h"

namespace tandem {

// trainer_state.json's log_history.
class RunLog {
 public:
  // Called with each entry when it is made, so that a run can be watched.
  using Listener = std::function<void(const nlohmann::json& entry)>;
  explicit RunLog(Listener listener = {}) : listener_(std::move(listener)) {}

  // The mean over the updates since the last entry.
  struct TrainingEntry {
    std::int64_t step;  // updates done
    double epoch, loss, gradient_norm, learning_rate;
  };
  void add_training(const TrainingEntry&);
  void add_results(std::int64_t step, double epoch, const Results&);

  const std::vector<nlohmann::json>& history() const { return history_; }
  // What an earlier run, which is gone on with, had; nobody is called.
  void restore(std::vector<nlohmann::json> history) { history_ = std::move(history); }

  // How far a run is, and what it found.
  struct State {
    std::int64_t steps, tokens;  // done so far
    double total_flos = 0;       // that they took
    std::optional<BestEvaluation> best = {};
    std::string best_checkpoint = {};  // its directory's name; empty: none
  };
  // The content of trainer_state.json.
  std::string trainer_state(const TrainerOptions&, const LoopOptions&, const Trainer&,
                            const State&) const;

 private:
  void add(nlohmann::json entry);

  Listener listener_;
  std::vector<nlohmann::json> history_;
};

// "***** train metrics *****" and a line for each result, sorted by name and aligned, as
// transformers prints them. `*_runtime` is shown as h:mm:ss.cc.
std::string results_block(const std::string& phase, const Results&);

// An entry of log_history: the results of an evaluation, or of the whole, after so many updates.
nlohmann::json results_entry(std::int64_t step, double epoch, const Results&);

// The results as one JSON object, as the files have it.
nlohmann::json results_object(const Results&);
std::string results_json(const Results&);

// Adds <phase>_results.json, and all_results.json merged with what the directory already has.
void stage_results(StagedFiles&, const std::filesystem::path& directory, const std::string& phase,
                   const Results&);

// What a set of labelled rows shows of the model: metrics, loss and speed, named
// eval_<name><suffix>.
struct EvaluatedSet {
  const Predictions& predictions;
  const TokenDataset& dataset;
  ProblemKind problem;
  double seconds;
  std::int64_t batch_size;
  std::string suffix = {};  // "_mm" for MNLI's second validation set
};
Results evaluation_results(const EvaluatedSet&, std::span<const std::string> metrics);

// The names of those that tell how good a model is, without evaluating one.
std::vector<std::string> evaluation_result_names(std::span<const std::string> metrics,
                                                 const std::string& suffix);

// runtime, samples and steps a second under the names that `phase` gives them.
Results speed_results(const std::string& phase, double seconds, std::int64_t samples,
                      std::int64_t steps);

}  // namespace tandem
