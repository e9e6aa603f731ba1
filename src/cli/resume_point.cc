#include "cli/resume_point.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/log.h"
#include "formats/json.h"
#include "formats/manifest.h"
#include "train/checkpoints.h"

namespace tandem {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;

// Arguments that change nothing of what is learned: where things go, what is shown and when, what
// is done at the end, and what the work is done with.
constexpr std::array<std::string_view, 32> kMayDiffer = {"output_dir",
                                                         "overwrite_output_dir",
                                                         "speed_report",
                                                         "json",
                                                         "threads",
                                                         "kernels",
                                                         "report_to",
                                                         "logging_dir",
                                                         "comm",
                                                         "comm_cores",
                                                         "allow_change",
                                                         "resume_from_checkpoint",
                                                         "save_total_limit",
                                                         "save_steps",
                                                         "save_strategy",
                                                         "save_minutes",
                                                         "logging_steps",
                                                         "logging_strategy",
                                                         "logging_first_step",
                                                         "per_device_eval_batch_size",
                                                         "do_train",
                                                         "do_eval",
                                                         "do_predict",
                                                         "test_file",
                                                         "max_predict_samples",
                                                         "cache_dir",
                                                         "token",
                                                         "spot",
                                                         "spot_endpoint",
                                                         "deadline",
                                                         "check_weights_steps",
                                                         "offline"};

bool may_differ(std::string_view name) {
  return std::ranges::find(kMayDiffer, name) != kMayDiffer.end();
}

std::string option_of(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

// "--learning-rate was 5e-05, is now 0.0001; ...": each argument that decides the result and isn't
// what it was.
std::string differences(const json& before, const json& now) {
  std::vector<std::string> found;
  for (const auto& [name, value] : now.items()) {
    if (may_differ(name)) continue;
    const auto earlier = before.find(name);
    if (earlier != before.end() && *earlier == value) continue;
    found.push_back(fmt::format("{} was {}, is now {}", option_of(name),
                                earlier == before.end() ? "not there" : earlier->dump(),
                                value.dump()));
  }
  return fmt::format("{}", fmt::join(found, "; "));
}

void check_arguments(const std::filesystem::path& checkpoint, const ResumeFlags& flags,
                     const std::string& arguments) {
  const json before = read_json_file(checkpoint / kArgumentsFile, ExitCode::kModel, kMostBytes);
  const std::string found = differences(before, json::parse(arguments));
  if (found.empty()) return;
  if (flags.allow_change) {
    log_info("{} was made with other arguments: {}", checkpoint.string(), found);
    return;
  }
  throw UsageError(
      "{} was made with other arguments: {}; give --allow-change to go on with these, "
      "--overwrite-output-dir to start again, or another --output-dir",
      checkpoint.string(), found);
}

std::optional<SavedCheckpoint> chosen_checkpoint(const std::filesystem::path& output,
                                                 const ResumeFlags& flags) {
  if (flags.from == "no") return std::nullopt;
  if (flags.from == "auto") return newest_checkpoint(output);
  const std::filesystem::path path(flags.from);
  verify_manifest(path);
  return SavedCheckpoint{.step = 0, .path = path};
}

}  // namespace

void add_resume_flags(CLI::App& command, ResumeFlags& flags, const std::string& group) {
  command
      .add_option_function<std::string>(
          "--resume-from-checkpoint",
          [&flags](const std::string& value) {
            flags.asked = true;
            // The reference's flag may be a truth value.
            if (value == "True" || value == "true") {
              flags.from = "auto";
            } else if (value == "False" || value == "false") {
              flags.from = "no";
            } else {
              flags.from = value;
            }
          },
          "go on from this checkpoint; auto: from the newest whole one in the output directory, if "
          "there is any; no: start again")
      ->option_text("auto|no|DIR")
      ->default_str(flags.from)
      ->group(group);
  command
      .add_flag("--allow-change", flags.allow_change,
                "go on from a checkpoint though arguments that decide the result have changed")
      ->group(group);
}

bool holds_training(const std::filesystem::path& output) {
  if (holds_checkpoints(output)) return true;
  std::error_code error;
  return std::ranges::any_of(std::filesystem::directory_iterator(output, error),
                             [](const std::filesystem::directory_entry& entry) {
                               return entry.is_directory() && holds_checkpoints(entry.path());
                             });
}

std::optional<ResumePoint> find_resume_point(const std::filesystem::path& output,
                                             const ResumeFlags& flags,
                                             const std::string& arguments) {
  const std::optional<SavedCheckpoint> found = chosen_checkpoint(output, flags);
  if (!found) return std::nullopt;
  check_arguments(found->path, flags, arguments);
  const std::filesystem::path path = found->path / kProgressFile;
  ResumePoint point{.step = 0,
                    .path = found->path,
                    .training = parse_training_progress(
                        read_file(path, ExitCode::kModel, kMostBytes), path.string())};
  point.step = point.training.progress.steps;
  return point;
}

void check_same_rows(const ResumePoint& point, const std::string& rows, const ResumeFlags& flags) {
  if (rows == point.training.data || flags.allow_change) return;
  throw UsageError(
      "{} was made with other training rows, or with another tokenizer; give --allow-change to go "
      "on with these, --overwrite-output-dir to start again, or another --output-dir",
      point.path.string());
}

}  // namespace tandem
