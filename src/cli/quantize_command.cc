// tandem quantize: a fine-tuned model with 8-bit weights, for faster prediction.
#include <memory>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/output_directory.h"
#include "cli/question_flags.h"

namespace tandem {
namespace {

struct QuantizeFlags {
  QuestionFlags question;  // asked of both models when it has data
  std::string output;
  bool overwrite = false;
};

void write_quantized(const QuantizeFlags& flags) {
  const OutputDirectory output(flags.output, flags.overwrite);
  const ModelSession session(flags.question.model);
  output.check_space_for(session.saved_bytes());
  StagedFiles files(output.path());
  session.stage_int8(files);
  files.commit();
  log_info("saved {}", output.path().string());
}

void quantize(const QuantizeFlags& flags) {
  if (std::filesystem::weakly_canonical(flags.question.model) ==
      std::filesystem::weakly_canonical(flags.output)) {
    throw UsageError("--output {} is the model itself; give another directory", flags.output);
  }
  write_quantized(flags);
  if (flags.question.data.empty()) return;
  QuestionFlags question = flags.question;
  fmt::print("{}\n",
             results_block("fp32", results_of(question, ask(question, LabelNeed::kRequired))));
  question.model = flags.output;
  fmt::print("{}\n",
             results_block("int8", results_of(question, ask(question, LabelNeed::kRequired))));
}

}  // namespace

void add_quantize_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "quantize", "Write a fine-tuned model with 8-bit weights, for faster prediction.");
  const auto flags = std::make_shared<QuantizeFlags>();
  add_question_flags(command, flags->question);
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
