// tandem fetch: a model or data of the hub, into the cache. The only command that asks the
// internet.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/hub_flags.h"
#include "cli/shared_flags.h"
#include "data/task.h"
#include "formats/json.h"
#include "hub/fetch_model.h"
#include "model/hf_config.h"

namespace tandem {
namespace {

struct FetchFlags {
  std::string name, task_name, token;
  std::string revision = "main";
  std::string cache_dir;
  int retries = 5;
  bool json = false;
};

void print_json(const std::string& name, const Fetched& fetched) {
  nlohmann::json files = nlohmann::json::array();
  for (const FetchedFile& file : fetched.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"was_there", file.was_there}});
  }
  const nlohmann::json result = {{"name", name},
                                 {"commit", fetched.commit},
                                 {"directory", fetched.directory.string()},
                                 {"files", files}};
  fmt::print("{}\n", python_json(result, {.indent = std::nullopt}));
}

// The task that is meant, if it isn't a model: --task-name mrpc or glue/mrpc.
std::optional<Task> task_of(const FetchFlags& flags) {
  constexpr std::string_view kGlue = "glue/";
  if (flags.name.empty() == flags.task_name.empty()) {
    throw UsageError("one of NAME and --task-name is needed, e.g. `tandem fetch bert-base-cased`");
  }
  if (!flags.task_name.empty()) return find_task(flags.task_name);
  if (!flags.name.starts_with(kGlue)) return std::nullopt;
  return find_task(std::string_view(flags.name).substr(kGlue.size()));
}

Fetched fetch_task(const HubSettings& settings, const Task& task, const std::string& revision) {
  std::vector<std::string> paths;
  for (const TaskSplit& split : task.used_splits()) paths.push_back(hub_file(task, split));
  return fetch_files(settings, glue_repository(revision), paths);
}

void fetch(const FetchFlags& flags) {
  const std::optional<Task> task = task_of(flags);
  HubSettings settings = hub_settings_here(flags.cache_dir);
  settings.retries = flags.retries;
  if (!flags.token.empty()) settings.token = checked_token(flags.token, "--token");
  if (!settings.token.empty() && settings.endpoint.starts_with("http:")) {
    log_warning("{} isn't encrypted: whoever listens on the way can read the token",
                settings.endpoint);
  }
  catch_interrupts(OnInterrupt::kEndInGoodOrder);
  const auto check_config = [](const std::filesystem::path& directory) {
    static_cast<void>(read_hf_config(directory / "config.json"));
  };
  const Fetched fetched =
      task ? fetch_task(settings, *task, flags.revision)
           : fetch_model(settings,
                         checked_repository(RepositoryKind::kModel, flags.name, flags.revision),
                         check_config);
  if (flags.json) {
    print_json(task ? fmt::format("glue/{}", task->name) : flags.name, fetched);
  } else {
    fmt::print("{}\n", fetched.directory.string());
  }
}

}  // namespace

void add_fetch_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("fetch",
                                          "Bring a model, or a GLUE task, of the Hugging Face hub "
                                          "into the cache, where its name finds it.");
  const auto flags = std::make_shared<FetchFlags>();
  command.add_option(
      "name", flags->name,
      "as on the hub, e.g. google-bert/bert-base-cased; glue/mrpc is a GLUE task's data");
  command.add_option("--task-name,--task", flags->task_name, "a GLUE task's data, as glue/NAME");
  command.add_option("--revision,--model-revision", flags->revision, "branch, tag or commit")
      ->capture_default_str();
  command.add_option("--token", flags->token,
                     "for models that are private or granted on request; better by HF_TOKEN, which "
                     "no other user sees");
  command.add_option("--cache-dir", flags->cache_dir, "as HF_HUB_CACHE")->option_text("DIR");
  command.add_option("--retries", flags->retries, "tries in a row that may bring nothing")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  add_json_flag(command, flags->json);
  command.callback([flags] { fetch(*flags); });
}

}  // namespace tandem
