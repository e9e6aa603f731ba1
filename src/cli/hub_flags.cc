#include "cli/hub_flags.h"

#include <cstdlib>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "base/printable.h"
#include "data/task.h"
#include "hub/fetch_model.h"

namespace tandem {

void add_hub_flags(CLI::App& command, HubFlags& flags, const std::string& group) {
  command
      .add_option("--model-revision", flags.revision,
                  "branch, tag or commit of a model that is named as on the hub")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--cache-dir", flags.cache_dir,
                  "cache of the models that `tandem fetch` brings; as HF_HUB_CACHE")
      ->option_text("DIR")
      ->group(group);
}

HubSettings hub_settings_here(const std::string& cache_dir) {
  HubSettings settings = hub_settings([](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  });
  if (!cache_dir.empty()) settings.cache = cache_dir;
  settings.user_agent = "tandem/" TANDEM_VERSION;
  return settings;
}

std::optional<std::filesystem::path> find_model_directory(const std::string& model,
                                                          const HubFlags& flags) {
  std::error_code ignored;
  if (std::filesystem::is_directory(model, ignored)) return model;
  if (!is_repository_name(model)) return std::nullopt;
  return cached_snapshot(hub_settings_here(flags.cache_dir),
                         checked_repository(RepositoryKind::kModel, model, flags.revision),
                         "config.json");
}

std::filesystem::path model_directory(const std::string& model, const HubFlags& flags) {
  if (const auto directory = find_model_directory(model, flags)) return *directory;
  if (!is_repository_name(model)) {
    throw ModelError(
        "{}: there is no such directory; expected one with config.json, model.safetensors and "
        "tokenizer.json or vocab.txt, or the name of a model on the hub",
        printable(model, 300));
  }
  const std::string revision =
      flags.revision == "main" ? "" : " --revision " + printable(flags.revision);
  throw ModelError(
      "{}: there is no such directory, and no such model in the cache {}; `tandem fetch {}{}` "
      "brings "
      "it from the hub",
      model, hub_settings_here(flags.cache_dir).cache.string(), model, revision);
}

Repository glue_repository(const std::string& revision) {
  return checked_repository(RepositoryKind::kDataset, "nyu-mll/glue", revision);
}

std::optional<std::filesystem::path> find_task_directory(const Task& task, const HubFlags& flags) {
  return cached_snapshot(hub_settings_here(flags.cache_dir), glue_repository(),
                         hub_file(task, task.used_splits().front()));
}

}  // namespace tandem
