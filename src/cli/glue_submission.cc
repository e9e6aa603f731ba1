#include "cli/glue_submission.h"

#include <algorithm>
#include <vector>

#include "base/log.h"
#include "base/printable.h"
#include "base/progress.h"
#include "data/task_results.h"

namespace tandem {
namespace {

struct Submission {
  const Task& task;
  const TaskSplit& split;
};

// The test splits, and with MNLI's the diagnostic set, which is for the same models.
std::vector<Submission> submissions_of(const Task& task, const std::string& data_directory) {
  std::vector<Submission> submissions;
  const auto add = [&](const Task& of) {
    for (const TaskSplit& split : of.used_splits()) {
      if (split.role == SplitRole::kTest) submissions.push_back({of, split});
    }
  };
  add(task);
  if (task.name != "mnli") return submissions;
  const Task& diagnostic = find_task("ax");
  try {
    task_file(diagnostic, diagnostic.used_splits().front(), data_directory);
    add(diagnostic);
  } catch (const DataError&) {
    log_info("the diagnostic set AX is not in {}: no AX.tsv is written", data_directory);
  }
  return submissions;
}

// For each of the model's classes what the server calls it: by name, or by number where the model's
// names are none of the task's (LABEL_0).
std::vector<std::string> answers_of(const Task& task, const LabelScheme& model) {
  const std::vector<std::string> names = label_scheme(task).names;
  const auto of_task = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  const bool by_name = std::ranges::is_permutation(model.names, names);
  const bool by_number =
      model.names.size() == names.size() && std::ranges::none_of(model.names, of_task);
  const bool same_kind = model.kind == task.kind;
  if (!same_kind || !(by_name || by_number)) {
    throw ModelError(
        "the model's labels are {}, those of task {} are {}: it was trained for "
        "something else",
        model.names.empty() ? "values" : list_in_quotes(model.names), task.name,
        names.empty() ? "values" : list_in_quotes(names));
  }
  std::vector<std::string> answers;
  for (std::size_t id = 0; id < names.size(); ++id) {
    const auto at =
        by_name
            ? static_cast<std::size_t>(std::ranges::find(names, model.names[id]) - names.begin())
            : id;
    answers.push_back(submits_numbers(task) ? fmt::format("{}", at) : names[at]);
  }
  return answers;
}

std::string submission_text(const Predictions& predictions,
                            const std::vector<std::string>& answers) {
  constexpr float kLowestScore = 0, kHighestScore = 5;  // of STS-B; the server refuses others
  std::string text = "index\tprediction\n";
  const Matrix<const float> rows = predictions.rows();
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const float* const row = rows.row(r);
    if (answers.empty()) {
      text += fmt::format("{}\t{:.3f}\n", r, std::clamp(row[0], kLowestScore, kHighestScore));
    } else {
      text += fmt::format(
          "{}\t{}\n", r,
          answers[static_cast<std::size_t>(std::max_element(row, row + rows.cols) - row)]);
    }
  }
  return text;
}

}  // namespace

void write_glue_submission(const QuestionFlags& flags, const std::string& data_directory,
                           const std::string& output_directory) {
  const Task& task = find_task(flags.task_name);
  Compute compute = make_compute(flags.compute);
  ModelSession session(flags.model);
  const std::vector<std::string> answers = answers_of(task, session.labels());
  session.prepare(flags.compute.precision, compute);
  const EncodingLimits limits{session.limit_tokens(flags.max_seq_length), flags.long_text};
  std::vector<std::string> names, texts;
  for (const Submission& submission : submissions_of(task, data_directory)) {
    const ExampleSet examples = read_task_split(submission.task, submission.split, data_directory);
    if (const auto note = size_note(submission.task, submission.split, examples)) {
      log_warning("{}; GLUE's server will refuse the answers", *note);
    }
    const TokenDataset dataset = session.encode(examples, limits, compute.pool());
    Progress progress("predicting", dataset.sequences());
    const Predictions predictions =
        predict(session.classifier(), dataset, flags.batch_size, compute,
                [&](std::int64_t done) { progress.update(done); });
    names.emplace_back(submission_file(submission.task, submission.split));
    texts.push_back(submission_text(predictions, answers));
  }
  StagedFiles files(output_directory);
  for (std::size_t i = 0; i < names.size(); ++i) files.add(names[i], texts[i]);
  files.commit();
  log_info("{}: wrote {}; zip all tasks' files: zip -j submission.zip {}/*.tsv", output_directory,
           list_in_quotes(names), output_directory);
}

}  // namespace tandem
