#include "train/checkpoints.h"

#include <algorithm>

#include "base/directory.h"
#include "base/log.h"

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

bool is_checkpoint(const std::string& name) {
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         std::ranges::all_of(name.substr(kPrefix.size()),
                             [](char c) { return c >= '0' && c <= '9'; });
}

bool is_half_written(const std::string& name) {
  return name.starts_with(fmt::format(".{}", kPrefix)) && name.find(".tmp-") != std::string::npos;
}

}  // namespace

std::string checkpoint_name(std::int64_t step) { return fmt::format("{}{}", kPrefix, step); }

Checkpoints::Checkpoints(const std::filesystem::path& output, std::int64_t limit)
    : output_(output), limit_(limit) {
  for (const std::string& name : names_in(output)) {
    std::error_code ignored;
    if (is_half_written(name)) std::filesystem::remove_all(output / name, ignored);
  }
}

std::vector<std::string> Checkpoints::of_earlier_runs() const {
  std::vector<std::string> found;
  for (const std::string& name : names_in(output_)) {
    const bool ours = std::ranges::any_of(
        steps_, [&](std::int64_t step) { return checkpoint_name(step) == name; });
    if (is_checkpoint(name) && !ours) found.push_back(name);
  }
  return found;
}

void Checkpoints::save(std::int64_t step, const std::function<void(StagedFiles&)>& stage,
                       std::optional<std::int64_t> best_step) {
  StagedDirectory directory(path_of(step));
  stage(directory.files());
  directory.commit();
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
