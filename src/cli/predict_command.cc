// tandem predict: label and probabilities of every row, in input order.
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/predictions_text.h"
#include "cli/question_flags.h"

namespace tandem {
namespace {

void predict_rows(const QuestionFlags& flags) {
  const Answers answers = ask(flags, LabelNeed::kIfPresent);
  const LabelScheme& labels = answers.session.labels();
  const std::string text = flags.json ? predictions_json_lines(answers.predictions, labels)
                                      : predictions_table(answers.predictions, labels);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw WallError("standard output cannot be written: {}", errno_text(errno));
  }
}

}  // namespace

void add_predict_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "predict", "Predict rows: label, its probability and all probabilities, in input order.");
  const auto flags = std::make_shared<QuestionFlags>();
  add_question_flags(command, *flags);
  command.callback([flags] { predict_rows(*flags); });
}

}  // namespace tandem
