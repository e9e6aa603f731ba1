// tandem train: learn, evaluate, predict and save, as run_glue.py does.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/interrupt.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/train_flags.h"
#include "cli/train_job.h"
#include "cli/train_peer.h"
#include "cli/train_series.h"
#include "comm/collectives.h"
#include "formats/json.h"
#include "train/agreement.h"

namespace tandem {
namespace {

// Those of a model directory that decide what it computes.
std::vector<std::filesystem::path> model_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const char* name : {"config.json", "model.safetensors", "model.safetensors.index.json",
                           "vocab.txt", "tokenizer.json"}) {
    files.push_back(directory / name);
  }
  return files;
}

// What must be alike wherever the job's processes run: their arguments too, and files that are
// here.
std::vector<Fact> facts_of(const TrainFlags& flags, const std::string& flags_json,
                           const Compute& compute) {
  std::vector<Fact> facts = {
      {"program", TANDEM_VERSION, "put the same version on every host"},
      {"kernels", compute.kernels().name,
       "name a set that every host has for all, e.g. --kernels avx2"},
      {"model",
       hash_of_files(
           model_files(find_model_directory(flags.model, flags.hub).value_or(flags.model))),
       "rank 0's is used: remove or replace the others"},
      {"data",
       hash_of_files({flags.data.train_file, flags.data.validation_file, flags.data.test_file}),
       "rank 0's is used: remove or replace the others"}};
  const auto arguments = nlohmann::json::parse(flags_json);
  for (const auto& [name, value] : arguments.items()) {
    std::string option = "--" + name;
    std::ranges::replace(option, '_', '-');
    facts.push_back({option, value.dump(), "start every process with the same arguments"});
  }
  return facts;
}

// Where nothing was said of the output, it is a new directory beside the rows.
TrainFlags with_output_directory(TrainFlags flags) {
  if (!flags.output_dir.empty()) return flags;
  flags.output_dir = new_directory_beside(flags.data.train_file).string();
  log_info("the model goes to {} (--output-dir names another directory)", flags.output_dir);
  return flags;
}

void train_as_root(const TrainFlags& given, const std::string& flags_json, const Job& job,
                   Compute& compute) {
  const TrainFlags flags = with_output_directory(given);
  TrainJob train_job(flags, flags_json, job, compute);
  if (flags.seeds > 1) {
    train_with_seeds(train_job, flags);
  } else if (!flags.autotune.empty()) {
    autotune(train_job, flags);
  } else {
    train_job.run(order_of(flags), {.output = train_job.output()});
  }
  train_job.end();
}

void train(const TrainFlags& flags, const std::string& flags_json) {
  const Job job(flags.job);
  job.run([&] {
    Compute compute = make_compute(flags.compute, job.take_cores());
    if (!job.alone()) {
      check_agreement(*job.communicator(), job.hosts(), facts_of(flags, flags_json, compute));
    }
    if (job.root()) {
      train_as_root(flags, flags_json, job, compute);
    } else {
      train_as_peer(flags, job, compute);
    }
    if (!job.alone()) barrier(*job.communicator(), "the end of the job", std::chrono::hours(1));
  });
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("train", "Fine-tune a model on labelled texts, evaluate it and save it.");
  const auto flags = std::make_shared<TrainFlags>();
  add_train_flags(command, *flags);
  command.callback([flags, &command] {
    complete_train_flags(*flags);
    check_train_flags(*flags);
    catch_interrupts(OnInterrupt::kEndInGoodOrder);
    train(*flags, train_flags_json(command, *flags));
  });
}

}  // namespace tandem
