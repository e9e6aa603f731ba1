// tandem init: a model of random weights.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/cpu.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/thread.h"
#include "cli/commands.h"
#include "cli/model_session.h"
#include "cli/output_directory.h"
#include "cli/shared_flags.h"
#include "formats/json.h"
#include "model/model_directory.h"
#include "model/presets.h"
#include "text/tokenizer.h"

namespace tandem {
namespace {

struct InitFlags {
  std::string preset, config, vocabulary_from, output;
  std::uint64_t seed = 42;
  bool overwrite = false;
  bool json = false;
};

void init_model(const InitFlags& flags) {
  if (flags.preset.empty() == flags.config.empty()) {
    throw UsageError("one of --preset NAME and --config FILE is needed");
  }
  catch_interrupts(OnInterrupt::kEndInGoodOrder);
  const OutputDirectory output(flags.output, flags.overwrite);
  HfConfig config =
      flags.preset.empty() ? read_hf_config(flags.config) : preset_config(flags.preset);
  std::vector<ModelFile> tokenizer_files;
  if (!flags.vocabulary_from.empty()) {
    const Tokenizer tokenizer = Tokenizer::load(flags.vocabulary_from);
    check_vocabulary_fits(config.bert, tokenizer.vocabulary_size(), flags.vocabulary_from);
    for (const Tokenizer::File& file : tokenizer.files(segments_of(config.bert))) {
      tokenizer_files.push_back({file.name, file.content});
    }
  }
  ThreadPool pool(cpu_limits().usable_cores());
  const LoadedModel model = new_model(std::move(config), flags.seed, pool);
  StagedFiles files(output.path());
  stage_model(files, model.config, model.params, model.weights, tokenizer_files);
  throw_if_interrupted("writing; nothing was changed");
  files.commit();
  log_info(
      "{}: {} parameters, random{}", output.path().string(), model.table.floats(),
      tokenizer_files.empty() ? "; no vocabulary: --vocabulary DIR takes another model's" : "");
  if (!flags.json) return;
  const nlohmann::json object = {{"output_dir", output.path().string()},
                                 {"parameters", model.table.floats()},
                                 {"vocabulary", !tokenizer_files.empty()}};
  fmt::print("{}\n", python_json(object, {.indent = std::nullopt}));
}

}  // namespace

void add_init_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "init", "Make a model of random weights, to train for speed where no weights are to be had.");
  const auto flags = std::make_shared<InitFlags>();
  command.add_option("--preset", flags->preset,
                     fmt::format("one of {}", fmt::join(preset_names(), ", ")));
  command.add_option("--config", flags->config, "a config.json instead")->option_text("FILE");
  command
      .add_option("--vocabulary", flags->vocabulary_from,
                  "directory with the tokenizer to copy; none when not given")
      ->option_text("DIR");
  command.add_option("--output,--output-dir", flags->output, "directory to write")
      ->required()
      ->option_text("DIR");
  command.add_option("--seed", flags->seed, "of the random weights")->capture_default_str();
  command.add_flag("--overwrite-output-dir", flags->overwrite, "replace files that are there");
  add_json_flag(command, flags->json);
  command.callback([flags] { init_model(*flags); });
}

}  // namespace tandem
