// tandem quantize: a fine-tuned model with 8-bit weights, for faster prediction.
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/output_directory.h"
#include "cli/question_flags.h"
#include "formats/json.h"

namespace tandem {
namespace {

struct QuantizeFlags {
  QuestionFlags question;  // asked of both models when it has data
  std::string output;
  bool overwrite = false;
};

void write_quantized(const QuantizeFlags& flags) {
  const OutputDirectory output(flags.output, flags.overwrite);
  const ModelSession session(model_directory(flags.question.model, flags.question.hub));
  output.check_space_for(session.saved_bytes());
  StagedFiles files(output.path());
  session.stage_int8(files);
  files.commit();
  log_info("saved {}", output.path().string());
}

// Printed at once, or kept for the object that --json prints at the end.
void show_results(const std::string& precision, const QuestionFlags& question,
                  nlohmann::json& object) {
  const Results results = results_of(question, ask(question, LabelNeed::kRequired));
  if (question.json) {
    object[precision] = results_object(results);
  } else {
    fmt::print("{}\n", results_block(precision, results));
  }
}

void quantize(const QuantizeFlags& flags) {
  std::error_code ignored;
  if (std::filesystem::equivalent(flags.question.model, flags.output, ignored)) {
    throw UsageError("--output {} is the model itself; give another directory", flags.output);
  }
  if (flags.question.data == "-") {
    throw UsageError("--data -: both models are asked, and standard input can be read only once");
  }
  const bool evaluate = !flags.question.data.empty();
  // First, because it checks the rows before anything is written.
  nlohmann::json object = {{"output_dir", flags.output}};
  if (evaluate) show_results("fp32", flags.question, object);
  write_quantized(flags);
  if (evaluate) {
    QuestionFlags of_quantized = flags.question;
    of_quantized.model = flags.output;
    show_results("int8", of_quantized, object);
  }
  if (flags.question.json) fmt::print("{}\n", python_json(object, {.indent = 4}));
}

}  // namespace

void add_quantize_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "quantize", "Write a fine-tuned model with 8-bit weights, for faster prediction.");
  const auto flags = std::make_shared<QuantizeFlags>();
  add_question_flags(command, flags->question);
  // What is compared with 8-bit integers is fp32.
  command.remove_option(command.get_option("--precision"));
  flags->question.compute.precision = PrecisionRequest::kFp32;
  command.get_option("--data")->required(false)->description(
      "labelled rows to evaluate both models on; formats as of `tandem evaluate`");
  command.add_option("--output,--output-dir", flags->output, "directory of the new model")
      ->option_text("DIR")
      ->required();
  command.add_flag("--overwrite-output-dir", flags->overwrite,
                   "write into a directory that isn't empty");
  command.callback([flags] { quantize(*flags); });
}

}  // namespace tandem
