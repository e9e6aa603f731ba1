// tandem data check: the faults of a data set, all at once and before training.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/data_check_text.h"
#include "cli/shared_flags.h"
#include "cli/table_input.h"

namespace tandem {
namespace {

struct DataCheckFlags {
  std::vector<std::string> files;  // the first is what training learns from
  std::string validation, format = "tsv", model;
  ColumnFlags columns;
  bool do_regression = false, json = false;
  std::int64_t max_seq_length = 128;
};

DataCheck check_files(const DataCheckFlags& flags) {
  std::vector<std::string> files = flags.files;
  if (!flags.validation.empty()) files.push_back(flags.validation);
  std::vector<Table> tables;
  std::vector<DataFinding> unreadable;
  for (const std::string& file : files) {
    try {
      tables.push_back(read_rows(file, flags.format, FaultPolicy::kCollect));
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kData) throw;
      const std::string source = file == kStandardInput ? "standard input" : file;
      unreadable.push_back(refusal("file", source, error.what()));
    }
  }
  DataCheckOptions options{
      .columns = column_names(flags.columns),
      .reading = flags.do_regression ? LabelReading::kRegression : LabelReading::kInfer,
      .separator = flags.columns.separator,
      .max_tokens = flags.max_seq_length};
  std::optional<Tokenizer> tokenizer;
  if (!flags.model.empty()) {
    tokenizer.emplace(Tokenizer::load(flags.model));
    options.tokenizer = &*tokenizer;
    options.max_tokens = std::min(flags.max_seq_length, tokenizer->model_max_length());
  }
  DataCheck check = check_data(tables, options);
  check.findings.insert(check.findings.begin(), unreadable.begin(), unreadable.end());
  return check;
}

void add_flags(CLI::App& command, DataCheckFlags& flags) {
  command
      .add_option("files", flags.files,
                  "rows to learn from, and any other splits of the data set; - for standard input")
      ->required();
  command.add_option("--validation,--validation-file", flags.validation, "rows to evaluate on")
      ->option_text("FILE");
  add_format_flag(command, flags.format);
  command
      .add_option("--model,--model-name-or-path", flags.model,
                  "directory of a model, whose tokenizer tells which texts would be cut")
      ->option_text("DIR");
  command.add_option("--max-seq-length", flags.max_seq_length, "tokens of a text or pair")
      ->check(CLI::Range(4, 1 << 20))
      ->capture_default_str();
  command.add_flag("--do-regression", flags.do_regression,
                   "the labels are values, even where they look like classes");
  add_column_flags(command, flags.columns);
  add_json_flag(command, flags.json);
}

}  // namespace

void add_data_command(CLI::App& app, int& exit_code) {
  CLI::App& data = *app.add_subcommand("data", "Look at a data set: `tandem data check FILE...`");
  data.require_subcommand(1);
  CLI::App& command = *data.add_subcommand(
      "check", "Find a data set's faults before training, all at once, each with its line.");
  command.footer("Exit codes: 0 done, with warnings or not, 3 training would fail, 2 wrong usage.");
  const auto flags = std::make_shared<DataCheckFlags>();
  add_flags(command, *flags);
  command.callback([flags, &exit_code] {
    const DataCheck check = check_files(*flags);
    fmt::print("{}", flags->json ? data_check_json(check) : data_check_text(check));
    if (count_findings(check, FindingSeverity::kError) > 0)
      exit_code = static_cast<int>(ExitCode::kData);
  });
}

}  // namespace tandem
