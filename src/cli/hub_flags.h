#pragma once
// Models by their names on the hub: which cache, which revision, and what the environment says.

#include <filesystem>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "hub/repository.h"
#include "hub/settings.h"

namespace tandem {

struct Task;

struct HubFlags {
  std::string revision = "main";
  std::string cache_dir;  // empty: as the environment says
};
// --model-revision and --cache-dir, in the option group `group`.
void add_hub_flags(CLI::App& command, HubFlags& flags, const std::string& group = "Options");

// The settings of huggingface_hub's environment variables, with another cache if one is given.
HubSettings hub_settings_here(const std::string& cache_dir);

// The directory that `model` names: one that is there, or the cache's of a model on the hub.
std::optional<std::filesystem::path> find_model_directory(const std::string& model,
                                                          const HubFlags& flags);
// The same; throws ModelError with the `tandem fetch` line when neither is there.
std::filesystem::path model_directory(const std::string& model, const HubFlags& flags);

// GLUE's data on the hub, in Parquet.
Repository glue_repository(const std::string& revision = "main");
// The cache's folder with a GLUE task's files; nothing when it hasn't been fetched.
std::optional<std::filesystem::path> find_task_directory(const Task& task, const HubFlags& flags);

}  // namespace tandem
