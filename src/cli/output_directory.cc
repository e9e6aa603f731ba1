#include "cli/output_directory.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"

namespace tandem {
namespace {

// What a killed process left half-written is nobody's.
bool has_nothing_of_others(const std::filesystem::path& directory) {
  std::error_code error;
  return std::ranges::all_of(std::filesystem::directory_iterator(directory, error),
                             [](const std::filesystem::directory_entry& entry) {
                               return is_half_written(entry.path().filename().string());
                             });
}

}  // namespace

MissingDirectories::MissingDirectories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path level = std::filesystem::absolute(path, error).lexically_normal();
  while (!error && !std::filesystem::exists(level, error) && level.has_relative_path()) {
    missing_.push_back(level);
    level = level.parent_path();
  }
}

MissingDirectories::~MissingDirectories() {
  std::error_code error;
  for (const std::filesystem::path& directory : missing_) {
    std::filesystem::remove(directory, error);
    if (error) return;  // not empty
  }
}

std::filesystem::path new_directory_beside(const std::filesystem::path& rows) {
  std::filesystem::path name = rows;
  if (name.extension() == ".gz") name.replace_extension();
  name.replace_extension();
  const std::string first = name.string() + "-model";
  std::string path = first;
  for (int number = 2; std::filesystem::exists(path); ++number) {
    path = fmt::format("{}-{}", first, number);
  }
  return path;
}

OutputDirectory::OutputDirectory(const std::filesystem::path& path, bool overwrite)
    : path_(path), missing_(path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    if (!std::filesystem::is_directory(path, error)) {
      throw UsageError("--output-dir {}: expected a directory, found a file", path.string());
    }
    if (!overwrite && !has_nothing_of_others(path)) {
      throw UsageError(
          "--output-dir {}: is not empty; choose another directory, or give --overwrite-output-dir "
          "to replace the files in it",
          path.string());
    }
  }
  // A first small file shows whether the directory can be made and written to.
  {
    StagedFiles probe(path);
    probe.add("probe", "");
  }
  // What is left of a job whose launcher was killed may take as long as that to end.
  constexpr std::chrono::seconds kLongestWait{90};
  lock_.emplace(path, kLongestWait);
}

void OutputDirectory::check_space_for(std::int64_t bytes) const {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(path_, error);
  if (!error && space.available < static_cast<std::uintmax_t>(bytes)) {
    throw WallError(
        "{}: no space left: {} bytes are needed, {} are free; nothing was trained; free some space "
        "or choose another --output-dir",
        path_.string(), bytes, space.available);
  }
}

}  // namespace tandem
