#pragma once
// What people and their tools read of a training run besides the model: event files for TensorBoard
// while it goes on; report.html and README.md at its end.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/training_data.h"
#include "report/event_file.h"
#include "report/run_page.h"
#include "train/evaluator.h"
#include "train/run_log.h"
#include "train/training_loop.h"

namespace tandem {

struct ReportFlags {
  std::string report_to = "none";
  std::string logging_dir;  // empty: OUTPUT/runs/<time>_<host>
};
// --report-to and --logging-dir.
void add_report_flags(CLI::App& command, ReportFlags& flags);

// Of a run that has ended, besides what it evaluated.
struct FinishedRun {
  const TrainingData& data;
  std::span<const TokenDataset> evaluation_sets;  // as data.evaluate
  const TokenDataset* training_set;               // null when nothing was trained
  const LoopResult* trained;                      // likewise
  const RunLog& log;
  SpeedReport speed;
  std::vector<std::pair<std::string, std::string>> machine;
  int processes = 1;
};

class RunReports {
 public:
  // `model` is the directory that training started from, `arguments` the text of
  // training_args.json.
  RunReports(const ReportFlags& flags, std::filesystem::path output, std::string model,
             std::string arguments);

  // Starts the event file, where it is asked for. `config` is the model's config.json.
  void begin(const std::string& config);
  // An entry of the run's log, when it is made.
  void add_entry(const nlohmann::json& entry);
  // What the model answered to an evaluation set: of each set the last is kept.
  void set_answers(std::size_t set, Predictions predictions, Results results);

  // Writes report.html, if there are evaluation sets, and README.md, if a model was trained.
  void finish(const FinishedRun& run) const;

 private:
  struct Answers {
    Predictions predictions;
    Results results;
  };
  std::string page(const FinishedRun& run) const;
  std::string card(const FinishedRun& run) const;

  ReportFlags flags_;
  std::filesystem::path output_;
  std::string model_;
  std::string arguments_;
  std::optional<EventFile> events_;
  std::vector<Answers> answers_;
};

// The last name of a directory's path: "out" for "runs/out/".
std::string directory_name(const std::filesystem::path& path);

}  // namespace tandem
