#include "cli/train_series.h"

#include <chrono>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "cli/learning_search.h"
#include "cli/series_table.h"
#include "formats/json.h"
#include "train/best_model.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Which of several runs is the best so far; the first of several that are equally good.
class BestRun {
 public:
  explicit BestRun(const LoopOptions& comparison) : comparison_(comparison) {}

  // Whether the run of this number is better than all before. The first is.
  bool add(std::size_t number, const Results& results) {
    const double value = deciding_value(comparison_, results);
    const bool better = !(value_ == value_) || is_better(comparison_, value, value_);
    if (!better) return false;
    number_ = number;
    value_ = value;
    return true;
  }
  std::size_t number() const { return number_; }
  double value() const { return value_; }
  std::string metric() const { return comparison_.best_metric(); }

 private:
  LoopOptions comparison_;
  std::size_t number_ = 0;
  double value_ = std::numeric_limits<double>::quiet_NaN();
};

// All files of a directory into another one, where what is there is replaced.
void stage_copies(const std::filesystem::path& from, StagedFiles& files) {
  for (const auto& entry : std::filesystem::directory_iterator(from)) {
    if (!entry.is_regular_file()) continue;
    files.add(entry.path().filename().string(),
              read_file(entry.path(), ExitCode::kModel, std::numeric_limits<std::int64_t>::max()));
  }
}

void save_series(const std::filesystem::path& output, const std::filesystem::path& best,
                 const std::string& name, const nlohmann::json& content) {
  StagedFiles files(output);
  stage_copies(best, files);
  files.add(name, python_json(content, {.indent = 2}) + "\n");
  files.commit();
}

void remove_directory(const std::filesystem::path& directory) {
  if (directory.empty()) return;
  std::error_code error;
  std::filesystem::remove_all(directory, error);
  if (error) log_warning("{}: cannot be removed: {}", directory.string(), error.message());
}

// The trials of a search. Of their models only the best so far stays on the disk.
class Trials {
 public:
  Trials(TrainJob& job, const TrainFlags& flags)
      : job_(job), flags_(flags), comparison_(job.comparison()), best_(comparison_) {}

  std::size_t count() const { return rows_.size(); }

  // How good it is: the higher the better, whatever the metric's direction.
  double run(const Trial& trial) {
    RunOrder order = order_of(flags_);
    order.learning_rate = trial.learning_rate;
    order.batch_size = trial.batch_size;
    order.num_train_epochs = trial.epochs;
    const std::filesystem::path directory = job_.output() / fmt::format("trial-{}", count() + 1);
    const Results results = evaluation_of(order, directory);
    rows_.push_back({.settings = {{"learning_rate", fmt::format("{}", trial.learning_rate)},
                                  {"batch", fmt::format("{}", trial.batch_size)},
                                  {"epochs", fmt::format("{}", trial.epochs)}},
                     .results = results});
    const bool better = best_.add(count() - 1, results);
    remove_directory(better ? best_directory_ : directory);
    if (better) best_directory_ = directory;
    const double value = deciding_value(comparison_, results);
    return comparison_.best_is_greatest() ? value : -value;
  }

  // Makes the best model that of the output directory.
  void keep_best() const {
    save_series(job_.output(), best_directory_, "autotune.json",
                {{"best_trial", best_.number() + 1},
                 {"metric", best_.metric()},
                 {"trials", series_json(rows_)}});
    remove_directory(best_directory_);
  }

  void print() const {
    fmt::print("{}\nbest {}: {:.4f}, trial {}; its model is in {}\n",
               series_table(rows_, best_.number()), best_.metric(), best_.value(),
               best_.number() + 1, job_.output().string());
  }

 private:
  // When it is interrupted, what was found before is kept, if anything was.
  Results evaluation_of(const RunOrder& order, const std::filesystem::path& directory) {
    try {
      return job_.run(order, {.output = directory, .prints_results = false}).evaluation;
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kInterrupted || rows_.empty()) throw;
      keep_best();
      remove_directory(directory);
      throw Error(ExitCode::kInterrupted,
                  fmt::format("interrupted in trial {}; the best model of those before is in {}",
                              count() + 1, job_.output().string()));
    }
  }

  TrainJob& job_;
  const TrainFlags& flags_;
  LoopOptions comparison_;
  BestRun best_;
  std::vector<SeriesRow> rows_;
  std::filesystem::path best_directory_;
};

}  // namespace

void train_with_seeds(TrainJob& job, const TrainFlags& flags) {
  std::vector<SeriesRow> rows;
  BestRun best(job.comparison());
  for (std::int64_t i = 0; i < flags.seeds; ++i) {
    RunOrder order = order_of(flags);
    order.seed += static_cast<std::uint64_t>(i);
    const std::string name = fmt::format("seed-{}", order.seed);
    log_info("seed {}, {} of {}:", order.seed, i + 1, flags.seeds);
    const RunOutcome outcome =
        job.run(order, {.output = job.output() / name, .prints_results = false});
    rows.push_back({.settings = {{"seed", fmt::format("{}", order.seed)}},
                    .results = outcome.evaluation,
                    .directory = name});
    best.add(rows.size() - 1, outcome.evaluation);
  }
  const SeriesSummary summary = summary_of(rows);
  const std::string& directory = rows[best.number()].directory;
  save_series(job.output(), job.output() / directory, "seeds.json",
              {{"best_directory", directory},
               {"metric", best.metric()},
               {"mean", results_object(summary.mean)},
               {"standard_deviation", results_object(summary.standard_deviation)},
               {"runs", series_json(rows)}});
  fmt::print("{}\n{}\nbest {}: {:.4f} in {}, copied to {}\n", series_table(rows, best.number()),
             summary_lines(summary), best.metric(), best.value(),
             (job.output() / directory).string(), job.output().string());
}

void autotune(TrainJob& job, const TrainFlags& flags) {
  const double seconds = parse_duration(flags.autotune, "--autotune");
  const Clock::time_point start = Clock::now();
  LearningSearch search(seconds);
  Trials trials(job, flags);
  while (const std::optional<Trial> trial = search.next(seconds_since(start))) {
    log_info("trial {}: learning rate {}, batch {}, {} epochs; {:.0f} of {:.0f} s are spent",
             trials.count() + 1, trial->learning_rate, trial->batch_size, trial->epochs,
             seconds_since(start), seconds);
    const Clock::time_point trial_start = Clock::now();
    const double score = trials.run(*trial);
    search.add(*trial, score, seconds_since(trial_start));
  }
  trials.keep_best();
  if (search.cut_short()) {
    log_info("--autotune: there was time for {} trial{}; more time tries more", trials.count(),
             trials.count() == 1 ? "" : "s");
  }
  trials.print();
}

}  // namespace tandem
