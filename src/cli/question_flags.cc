#include "cli/question_flags.h"

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/log.h"
#include "base/progress.h"
#include "cli/machine_table.h"
#include "cli/table_input.h"
#include "cli/training_data.h"

namespace tandem {
namespace {

// A file that is called as one of the task's should have as many rows.
void say_size(const Task& task, const std::filesystem::path& path, const ExampleSet& examples) {
  for (const TaskSplit& split : task.used_splits()) {
    if (path.filename() != split.file) continue;
    if (const std::optional<std::string> note = size_note(task, split, examples)) {
      log_info("{}", *note);
    }
  }
}

Table read_rows_of_task(const Task& task, const std::filesystem::path& path) {
  if (path.extension() == ".parquet") return read_task_table(task, path);
  LineReader lines = open_rows(path.string());
  return read_task_table(task, lines);
}

ExampleSet read_questions(const QuestionFlags& flags, const LabelScheme& labels, LabelNeed need) {
  // Labels matter where they are judged; where rows are predicted, any other column may be called
  // "label".
  const LabelSource source = {.scheme = need == LabelNeed::kRequired ? &labels : nullptr,
                              .known_to = "the model",
                              .need = need,
                              .separator = flags.columns.separator};
  if (!flags.task_name.empty()) {
    const Task& task = find_task(flags.task_name);
    const Table table = read_rows_of_task(task, flags.data);
    ExampleSet examples = read_examples(table, task_columns(task, table, need), source);
    say_size(task, flags.data, examples);
    return examples;
  }
  const Table table = read_rows(flags.data, flags.format);
  const ColumnChoice columns = choose_columns(table, column_names(flags.columns), need);
  if (table.columns().size() > 1) {
    log_info("{}: {}", table.source(), describe_columns(table, columns));
  }
  for (const std::string& note : columns.notes) log_info("{}: {}", table.source(), note);
  return read_examples(table, columns, source);
}

}  // namespace

void add_question_flags(CLI::App& command, QuestionFlags& flags) {
  command
      .add_option("--model,--model-name-or-path", flags.model,
                  "directory of a fine-tuned model, or its name on the hub (see `tandem fetch`)")
      ->option_text("DIR")
      ->required();
  command
      .add_option(
          "--data", flags.data,
          "rows: .tsv, .csv, .json, .jsonl, .txt (a text a line), each also as .gz, or - for "
          "standard input")
      ->option_text("FILE")
      ->required();
  add_format_flag(command, flags.format);
  command.add_option("--task-name,--task", flags.task_name,
                     "read --data as a TSV file of this GLUE task");
  add_column_flags(command, flags.columns);
  command.add_option("--max-seq-length", flags.max_seq_length, "tokens of a text or pair")
      ->check(CLI::Range(4, 1 << 20))
      ->capture_default_str();
  add_long_text_flag(command, flags.long_text, "Options");
  command
      .add_option("--batch-size,--per-device-eval-batch-size", flags.batch_size,
                  "examples at a time, or as many more as come to 2,048 tokens")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  add_hub_flags(command, flags.hub);
  add_json_flag(command, flags.json);
  add_compute_flags(command, flags.compute);
}

Answers ask(const QuestionFlags& flags, LabelNeed need) {
  Compute compute = make_compute(flags.compute);
  ModelSession session(model_directory(flags.model, flags.hub));
  ExampleSet examples = read_questions(flags, session.labels(), need);
  TokenDataset dataset = session.encode(
      examples, {session.limit_tokens(flags.max_seq_length), flags.long_text}, compute.pool());
  session.prepare(flags.compute.precision, compute);
  Progress progress("predicting", dataset.sequences());
  const auto start = std::chrono::steady_clock::now();
  Predictions predictions = predict(session.classifier(), dataset, flags.batch_size, compute,
                                    [&](std::int64_t done) { progress.update(done); });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  auto machine = machine_table(compute, session.classifier());
  return {std::move(session),     std::move(examples), std::move(dataset),
          std::move(predictions), elapsed.count(),     std::move(machine)};
}

Results results_of(const QuestionFlags& flags, const Answers& answers) {
  const LabelScheme& labels = answers.session.labels();
  return evaluation_results(
      {.predictions = answers.predictions,
       .dataset = answers.dataset,
       .problem = labels.kind,
       .seconds = answers.seconds,
       .batch_size = flags.batch_size},
      flags.task_name.empty() ? default_metrics(labels) : task_metrics(find_task(flags.task_name)));
}

}  // namespace tandem
