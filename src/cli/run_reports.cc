#include "cli/run_reports.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>

#include "base/file.h"
#include "base/log.h"
#include "cli/job.h"
#include "data/task.h"
#include "nn/onednn.h"
#include "report/model_card.h"

namespace tandem {
namespace {

std::filesystem::path logging_directory(const ReportFlags& flags,
                                        const std::filesystem::path& output) {
  if (!flags.logging_dir.empty()) return flags.logging_dir;
  const char* const variable = std::getenv("TENSORBOARD_LOGGING_DIR");
  if (variable != nullptr && *variable != '\0') return variable;
  return output / "runs" / run_folder(std::time(nullptr), host_name());
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

CardDataset card_dataset(const TrainingData& data, const NamedExamples& set) {
  if (data.name.empty()) {
    const std::filesystem::path file(set.examples.source);
    return {.name = file.filename().string(),
            .type = "unknown",
            .config = "",
            .split = "validation",
            .arguments = ""};
  }
  const bool several = data.evaluate.size() > 1;  // MNLI's
  const char* const split = !several             ? "validation"
                            : set.suffix.empty() ? "validation_matched"
                                                 : "validation_mismatched";
  return {.name = "GLUE " + upper(data.name),
          .type = "glue",
          .config = data.name,
          .split = split,
          .arguments = data.name};
}

// The metric by which the evaluations on the way are compared.
Judgement judgement_of(const TrainingData& data) {
  const std::string& metric = data.metrics.front();
  return {.key = "eval_" + metric + data.evaluate.front().suffix,
          .greater_is_better = higher_is_better(metric)};
}

// Those of training; where it had no evaluation, the one at its end as well.
std::vector<nlohmann::json> log_with_evaluation(const FinishedRun& run, const Results& results) {
  std::vector<nlohmann::json> log = run.log.history();
  if (!evaluations_of(log).empty()) return log;
  log.push_back(results_entry(run.trained->steps, run.trained->epoch, results));
  return log;
}

}  // namespace

void add_report_flags(CLI::App& command, ReportFlags& flags) {
  constexpr const char* kGroup = "Evaluation and logging";
  command
      .add_option("--report-to", flags.report_to,
                  "none, or tensorboard (or all): also write event files that TensorBoard shows")
      ->check(CLI::IsMember({"none", "tensorboard", "all"}))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--logging-dir", flags.logging_dir,
                  "where event files go; without it $TENSORBOARD_LOGGING_DIR, else "
                  "runs/<time>_<host> in the output directory")
      ->option_text("DIR")
      ->group(kGroup);
}

std::string directory_name(const std::filesystem::path& path) {
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

RunReports::RunReports(const ReportFlags& flags, std::filesystem::path output, std::string model,
                       std::string arguments)
    : flags_(flags),
      output_(std::move(output)),
      model_(std::move(model)),
      arguments_(std::move(arguments)) {}

void RunReports::begin(const std::string& config) {
  if (flags_.report_to == "none") return;
  events_.emplace(logging_directory(flags_, output_), host_name());
  events_->add_text("args", arguments_);
  events_->add_text("model_config", config);
  log_info("event file for TensorBoard: {}", events_->path().string());
}

void RunReports::add_entry(const nlohmann::json& entry) {
  if (events_) events_->add_entry(entry);
}

void RunReports::set_answers(std::size_t set, Predictions predictions, Results results) {
  answers_.resize(std::max(answers_.size(), set + 1));
  answers_[set] = {std::move(predictions), std::move(results)};
}

std::string RunReports::page(const FinishedRun& run) const {
  RunReport report{.title = directory_name(output_),
                   .sets = {},
                   .training = {},
                   .machine = run.machine,
                   .arguments = nlohmann::json::parse(arguments_)};
  Results results;
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    report.sets.push_back(answered_set(answers_[i].predictions, run.evaluation_sets[i],
                                       run.data.evaluate[i].examples, run.data.labels,
                                       answers_[i].results));
    results.insert(results.end(), answers_[i].results.begin(), answers_[i].results.end());
  }
  if (run.processes > 1) {
    report.machine.emplace_back("processes", fmt::format("{}", run.processes));
  }
  if (run.trained == nullptr) return run_page(report);
  const TokenDataset& trained_on = *run.training_set;
  report.training = {.rows = {.source = trained_on.source,
                              .labels = {trained_on.labels.begin(), trained_on.labels.end()},
                              .lengths = token_lengths(trained_on)},
                     .curve = run.trained->curve,
                     .log = log_with_evaluation(run, results),
                     .judgement = judgement_of(run.data),
                     .speed = run.speed};
  return run_page(report);
}

std::string RunReports::card(const FinishedRun& run) const {
  const std::string base = hub_name_of(model_);
  ModelCard card{.metadata = {.model_name = directory_name(output_),
                              .base_model = base,
                              .language = run.data.name.empty() ? "" : "en",
                              .results = {}},
                 .base = directory_name(model_),
                 .hyperparameters = hyperparameters_of(nlohmann::json::parse(arguments_),
                                                       run.processes, run.speed.batch_size),
                 .log = run.log.history(),
                 .versions = {fmt::format("Tandem {}", TANDEM_VERSION),
                              fmt::format("oneDNN {}", onednn_version())}};
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    const NamedExamples& set = run.data.evaluate[i];
    card.metadata.results.push_back({.dataset = card_dataset(run.data, set),
                                     .suffix = set.suffix,
                                     .results = answers_[i].results});
  }
  return model_card(card);
}

void RunReports::finish(const FinishedRun& run) const {
  StagedFiles files(output_);
  if (!answers_.empty()) files.add("report.html", page(run));
  if (run.trained != nullptr) files.add("README.md", card(run));
  files.commit();
  if (!answers_.empty()) log_info("report: {}", (output_ / "report.html").string());
}

}  // namespace tandem
