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
               {"mean", results_as_json(summary.mean)},
               {"standard_deviation", results_as_json(summary.standard_deviation)},
               {"runs", series_json(rows)}});
  fmt::print("{}\n{}\nbest {}: {:.4f} in {}, copied to {}\n", series_table(rows, best.number()),
             summary_lines(summary), best.metric(), best.value(),
             (job.output() / directory).string(), job.output().string());
}

void autotune(TrainJob& job, const TrainFlags& flags) {
  const double seconds = parse_duration(flags.autotune, "--autotune");
  const LoopOptions comparison = job.comparison();
  LearningSearch search(seconds);
  std::vector<SeriesRow> rows;
  BestRun best(comparison);
  std::filesystem::path best_directory;
  const Clock::time_point start = Clock::now();
  while (const std::optional<Trial> trial = search.next(seconds_since(start))) {
    const Clock::time_point trial_start = Clock::now();
    RunOrder order = order_of(flags);
    order.learning_rate = trial->learning_rate;
    order.batch_size = trial->batch_size;
    order.num_train_epochs = trial->epochs;
    const std::filesystem::path directory = job.output() / fmt::format("trial-{}", rows.size() + 1);
    log_info("trial {}: learning rate {}, batch {}, {} epochs; {:.0f} of {:.0f} s are spent",
             rows.size() + 1, trial->learning_rate, trial->batch_size, trial->epochs,
             seconds_since(start), seconds);
    const RunOutcome outcome = job.run(order, {.output = directory, .prints_results = false});
    const double value = deciding_value(comparison, outcome.evaluation);
    search.add(*trial, comparison.best_is_greatest() ? value : -value, seconds_since(trial_start));
    rows.push_back({.settings = {{"learning_rate", fmt::format("{}", trial->learning_rate)},
                                 {"batch", fmt::format("{}", trial->batch_size)},
                                 {"epochs", fmt::format("{}", trial->epochs)}},
                    .results = outcome.evaluation});
    const bool better = best.add(rows.size() - 1, outcome.evaluation);
    remove_directory(better ? best_directory : directory);
    if (better) best_directory = directory;
  }
  const std::size_t number = best.number();
  save_series(job.output(), best_directory, "autotune.json",
              {{"best_trial", number + 1},
               {"metric", best.metric()},
               {"seconds", seconds_since(start)},
               {"trials", series_json(rows)}});
  remove_directory(best_directory);
  if (search.cut_short()) {
    log_info("--autotune: {} trials fit into {:.0f} s; more time would try more", rows.size(),
             seconds);
  }
  fmt::print("{}\nbest {}: {:.4f}, trial {}; its model is in {}\n", series_table(rows, number),
             best.metric(), best.value(), number + 1, job.output().string());
}

}  // namespace tandem
