// tandem predict: label and probabilities of every row, in input order.
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/glue_submission.h"
#include "cli/predictions_text.h"
#include "cli/question_flags.h"

namespace tandem {
namespace {

struct PredictFlags {
  QuestionFlags question;
  std::string glue_submission, data_dir;  // directories; empty: none
};

void check(const PredictFlags& flags) {
  if (flags.glue_submission.empty()) {
    if (!flags.data_dir.empty()) {
      throw UsageError("--data-dir is for --glue-submission; --data FILE names rows to predict");
    }
    if (flags.question.data.empty()) {
      throw UsageError("--data is required; `tandem predict --help` shows every option");
    }
    return;
  }
  if (flags.question.task_name.empty() || flags.data_dir.empty()) {
    throw UsageError(
        "--glue-submission needs --task-name and --data-dir, the folder with the "
        "task's test files");
  }
  if (!flags.question.data.empty()) {
    throw UsageError(
        "--data and --glue-submission exclude each other: the task's test files in "
        "--data-dir are predicted");
  }
}

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
  const auto flags = std::make_shared<PredictFlags>();
  add_question_flags(command, flags->question);
  command.get_option("--data")->required(false);
  command
      .add_option("--glue-submission", flags->glue_submission,
                  "write the files that GLUE's server takes for the test rows of --task-name")
      ->option_text("DIR");
  command.add_option("--data-dir", flags->data_dir, "with it: folder with the task's TSV files")
      ->option_text("DIR");
  command.callback([flags] {
    check(*flags);
    if (flags->glue_submission.empty()) {
      predict_rows(flags->question);
    } else {
      write_glue_submission(flags->question, flags->data_dir, flags->glue_submission);
    }
  });
}

}  // namespace tandem
