#include "train/checkpoints.h"

#include <algorithm>
#include <functional>

#include "base/directory.h"
#include "base/log.h"
#include "data/number.h"
#include "formats/manifest.h"

namespace tandem {
namespace {

constexpr std::string_view kPrefix = "checkpoint-";

// Names of what is in a directory; none when it isn't there.
std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

// The step of "checkpoint-20", or nothing for another name.
std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::optional<std::int64_t> step = parse_whole_number(name.substr(kPrefix.size()));
  return step && name == checkpoint_name(*step) ? step : std::nullopt;
}

// The step of ".checkpoint-20.tmp-123", as StagedDirectory calls a directory on its way.
std::optional<std::int64_t> step_on_its_way(std::string_view name) {
  if (!is_half_written(name)) return std::nullopt;
  const std::size_t end = name.find('.', 1);
  return step_of(name.substr(1, end - 1));
}

bool is_on_its_way(const SavedCheckpoint& candidate) {
  return candidate.path.filename().string().starts_with('.');
}

// All that may be a whole checkpoint, the newest first; of one step those with their proper name.
std::vector<SavedCheckpoint> candidates(const std::filesystem::path& output) {
  std::vector<SavedCheckpoint> proper, on_their_way;
  for (const std::string& name : names_in(output)) {
    if (const auto step = step_of(name)) proper.push_back({*step, output / name});
    if (const auto step = step_on_its_way(name)) on_their_way.push_back({*step, output / name});
  }
  proper.insert(proper.end(), on_their_way.begin(), on_their_way.end());
  std::ranges::stable_sort(proper, std::greater(), &SavedCheckpoint::step);
  return proper;
}

// Where the directory of that name is damaged, it gives way.
SavedCheckpoint with_proper_name(SavedCheckpoint found) {
  const std::filesystem::path proper = found.path.parent_path() / checkpoint_name(found.step);
  if (found.path == proper) return found;
  std::filesystem::remove_all(proper);
  std::filesystem::rename(found.path, proper);
  sync_directory(proper.parent_path());
  return {found.step, proper};
}

}  // namespace

std::string checkpoint_name(std::int64_t step) { return fmt::format("{}{}", kPrefix, step); }

bool holds_checkpoints(const std::filesystem::path& output) {
  return std::ranges::any_of(candidates(output), [](const SavedCheckpoint& candidate) {
    return is_on_its_way(candidate) || std::filesystem::exists(candidate.path / kManifestFile);
  });
}

std::optional<SavedCheckpoint> newest_checkpoint(const std::filesystem::path& output) {
  for (const SavedCheckpoint& candidate : candidates(output)) {
    try {
      verify_manifest(candidate.path);
    } catch (const Error& error) {
      if (!is_on_its_way(candidate))
        log_warning("{}; an earlier checkpoint is looked for", error.what());
      continue;
    }
    return with_proper_name(candidate);
  }
  return std::nullopt;
}

Checkpoints::Checkpoints(const std::filesystem::path& output, std::int64_t limit,
                         std::optional<std::int64_t> resumed_at)
    : output_(output), limit_(limit) {
  remove_half_written(output);
  for (const std::string& name : names_in(output)) {
    const std::optional<std::int64_t> step = step_of(name);
    if (step && resumed_at && *step <= *resumed_at) steps_.push_back(*step);
  }
  std::ranges::sort(steps_);
}

std::vector<std::string> Checkpoints::of_earlier_runs() const {
  std::vector<std::string> found;
  for (const std::string& name : names_in(output_)) {
    const std::optional<std::int64_t> step = step_of(name);
    if (step && std::ranges::find(steps_, *step) == steps_.end()) found.push_back(name);
  }
  return found;
}

void Checkpoints::save(std::int64_t step, const std::function<void(StagedFiles&)>& stage,
                       std::optional<std::int64_t> best_step) {
  StagedDirectory directory(path_of(step));
  stage(directory.files());
  stage_manifest(directory.files());
  directory.commit();
  verify_manifest(path_of(step));
  std::erase(steps_, step);
  steps_.push_back(step);
  if (limit_ <= 0) return;
  const std::int64_t must_stay = best_step && *best_step != step ? 2 : 1;
  const std::int64_t kept = std::max(limit_, must_stay);
  for (const std::int64_t old : std::vector<std::int64_t>(steps_)) {
    if (std::ssize(steps_) <= kept) break;
    if (old != step && old != best_step) remove(old);
  }
}

void Checkpoints::finish(std::optional<std::int64_t> best_step) {
  if (limit_ != 1 || !best_step) return;
  for (const std::int64_t step : std::vector<std::int64_t>(steps_)) {
    if (step != *best_step) remove(step);
  }
}

std::filesystem::path Checkpoints::path_of(std::int64_t step) const {
  return output_ / checkpoint_name(step);
}

void Checkpoints::remove(std::int64_t step) {
  std::error_code error;
  std::filesystem::remove_all(path_of(step), error);
  if (error) {
    log_warning("{}: cannot be removed: {}", path_of(step).string(), error.message());
  }
  std::erase(steps_, step);
}

}  // namespace tandem
