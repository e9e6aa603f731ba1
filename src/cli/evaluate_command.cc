// tandem evaluate: how good a fine-tuned model is on labelled rows.
#include <memory>

#include "cli/commands.h"
#include "cli/question_flags.h"
#include "cli/training_data.h"
#include "train/run_log.h"

namespace tandem {
namespace {

std::vector<std::string> metric_names(const QuestionFlags& flags, const LabelScheme& labels) {
  if (flags.task_name.empty()) return default_metrics(labels);
  return task_metrics(find_task(flags.task_name));
}

void evaluate(const QuestionFlags& flags) {
  const Answers answers = ask(flags, LabelNeed::kRequired);
  const LabelScheme& labels = answers.session.labels();
  const Results results = evaluation_results({.predictions = answers.predictions,
                                              .dataset = answers.dataset,
                                              .problem = labels.kind,
                                              .seconds = answers.seconds,
                                              .batch_size = flags.batch_size},
                                             metric_names(flags, labels));
  fmt::print("{}\n", flags.json ? results_json(results) : results_block("eval", results));
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("evaluate", "Evaluate a fine-tuned model on labelled rows.");
  const auto flags = std::make_shared<QuestionFlags>();
  add_question_flags(command, *flags);
  command.callback([flags] { evaluate(*flags); });
}

}  // namespace tandem
