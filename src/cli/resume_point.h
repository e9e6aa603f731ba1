#pragma once
// Where a training that was interrupted is gone on with.

#include <filesystem>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "train/training_progress.h"

namespace tandem {

// The arguments of a training, in the directory of its model.
inline constexpr const char* kArgumentsFile = "training_args.json";

struct ResumeFlags {
  std::string from = "auto";  // auto, no, or a checkpoint's directory
  bool asked = false;         // by the flag, not by its default
  bool allow_change = false;
};
void add_resume_flags(CLI::App& command, ResumeFlags& flags, const std::string& group);

struct ResumePoint {
  std::int64_t step;
  std::filesystem::path path;  // the checkpoint
  SavedTraining training;
};

// Whether a directory, or that of one of several runs in it, holds checkpoints of this program.
bool holds_training(const std::filesystem::path& output);

// The newest checkpoint in `output` that verifies, or the one that was named. Nothing when there is
// none, or none is to be gone on with. Throws UsageError that shows the differences when its
// training_args.json says other than `arguments` of what decides the result, unless changes are
// allowed; ModelError for a named checkpoint that doesn't verify.
std::optional<ResumePoint> find_resume_point(const std::filesystem::path& output,
                                             const ResumeFlags& flags,
                                             const std::string& arguments);

// Throws UsageError when the rows aren't those that the checkpoint was made with, by their hash,
// unless changes are allowed.
void check_same_rows(const ResumePoint& point, const std::string& rows, const ResumeFlags& flags);

}  // namespace tandem
