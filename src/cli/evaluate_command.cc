// tandem evaluate: how good a fine-tuned model is on labelled rows.
#include <filesystem>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/output_directory.h"
#include "cli/published_results.h"
#include "cli/question_flags.h"
#include "cli/run_reports.h"
#include "report/run_page.h"
#include "train/evaluation_warnings.h"

namespace tandem {
namespace {

struct EvaluateFlags {
  QuestionFlags question;
  std::string report;  // a file; empty: none
};

void stage_report(StagedFiles& files, const EvaluateFlags& flags, const Answers& answers,
                  const Results& results) {
  const RunReport report{
      .title = directory_name(flags.question.model),
      .sets = {answered_set(answers.predictions, answers.dataset, answers.examples,
                            answers.session.labels(), results)},
      .training = {},
      .machine = answers.machine,
      .arguments = {{"model", flags.question.model},
                    {"data", flags.question.data},
                    {"task_name", flags.question.task_name},
                    {"max_seq_length", flags.question.max_seq_length},
                    {"batch_size", flags.question.batch_size}}};
  files.add(std::filesystem::path(flags.report).filename().string(), run_page(report));
}

void evaluate(const EvaluateFlags& flags) {
  // First, because a place that can't be written to shouldn't cost the evaluation.
  std::optional<MissingDirectories> missing;
  std::optional<StagedFiles> files;
  if (!flags.report.empty()) {
    const std::filesystem::path directory = std::filesystem::absolute(flags.report).parent_path();
    missing.emplace(directory);
    files.emplace(directory);
  }
  const Answers answers = ask(flags.question, LabelNeed::kRequired);
  const Results results = results_of(flags.question, answers);
  for (const std::string& warning :
       evaluation_warnings(answers.predictions, answers.dataset, answers.session.labels())) {
    log_warning("{}", warning);
  }
  if (files) {
    stage_report(*files, flags, answers, results);
    files->commit();
    log_info("report: {}", flags.report);
  }
  if (!flags.question.task_name.empty()) {
    say_published_results(find_task(flags.question.task_name), results);
  }
  fmt::print("{}\n", flags.question.json ? results_json(results) : results_block("eval", results));
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("evaluate", "Evaluate a fine-tuned model on labelled rows.");
  const auto flags = std::make_shared<EvaluateFlags>();
  add_question_flags(command, flags->question);
  command
      .add_option("--report", flags->report,
                  "write a page of HTML with tables, pictures and the worst predictions")
      ->option_text("FILE");
  command.callback([flags] { evaluate(*flags); });
}

}  // namespace tandem
