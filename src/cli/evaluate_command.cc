// tandem evaluate: how good a fine-tuned model is on labelled rows.
#include <memory>

#include "cli/commands.h"
#include "cli/published_results.h"
#include "cli/question_flags.h"

namespace tandem {
namespace {

void evaluate(const QuestionFlags& flags) {
  const Results results = results_of(flags, ask(flags, LabelNeed::kRequired));
  if (!flags.task_name.empty()) say_published_results(find_task(flags.task_name), results);
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
