#include "cli/question_flags.h"

#include <chrono>
#include <iostream>
#include <map>

#include "base/log.h"
#include "base/progress.h"
#include "cli/machine_table.h"
#include "cli/training_data.h"
#include "data/table_files.h"

namespace tandem {
namespace {

Table read_question_table(const QuestionFlags& flags) {
  if (flags.data != "-") return read_table(flags.data);
  const std::map<std::string, TableFormat> formats = {{"txt", TableFormat::kTextLines},
                                                      {"tsv", TableFormat::kTsv},
                                                      {"csv", TableFormat::kCsv},
                                                      {"jsonl", TableFormat::kJsonLines}};
  return read_table(std::cin, formats.at(flags.format));
}

ExampleSet read_questions(const QuestionFlags& flags, const LabelScheme& labels, LabelNeed need) {
  // Labels matter where they are judged; where rows are predicted, any other column may be called
  // "label".
  const LabelSource source = {.scheme = need == LabelNeed::kRequired ? &labels : nullptr,
                              .known_to = "the model",
                              .need = need};
  if (!flags.task_name.empty()) {
    const Task& task = find_task(flags.task_name);
    const Table table = read_task_table(task, flags.data);
    return read_examples(table, task_columns(task, table, need), source);
  }
  const Table table = read_question_table(flags);
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
      .add_option("--data", flags.data,
                  "rows: .tsv, .csv, .json, .jsonl, .txt (a text a line), or - for standard input")
      ->option_text("FILE")
      ->required();
  command.add_option("--format", flags.format, "of standard input: txt, tsv, csv or jsonl")
      ->check(CLI::IsMember({"txt", "tsv", "csv", "jsonl"}))
      ->capture_default_str();
  command.add_option("--task-name,--task", flags.task_name,
                     "read --data as a TSV file of this GLUE task");
  add_column_flags(command, flags.columns);
  command.add_option("--max-seq-length", flags.max_seq_length, "tokens of a text or pair")
      ->check(CLI::Range(4, 1 << 20))
      ->capture_default_str();
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
  TokenDataset dataset =
      session.encode(examples, session.limit_tokens(flags.max_seq_length), compute.pool());
  session.prepare(flags.compute.precision, compute);
  Progress progress("predicting", dataset.size());
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
