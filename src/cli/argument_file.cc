#include "cli/argument_file.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"

namespace tandem {
namespace {

constexpr std::int64_t kMaxBytes = 1 << 20;

// Rows to learn from are JSON too: those are lists, or one object a line.
bool holds_arguments(const nlohmann::json& file) {
  return file.is_object() && (file.contains("output_dir") || file.contains("model_name_or_path") ||
                              file.contains("output-dir") || file.contains("model"));
}

std::string text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const nlohmann::json& element : value) {
    if (!text.empty()) text += ",";
    text += text_of(element);
  }
  return text;
}

}  // namespace

std::vector<std::string> with_argument_file(std::vector<std::string> arguments) {
  if (arguments.size() != 2 || arguments[0].starts_with('-')) return arguments;
  const std::filesystem::path path = arguments[1];
  std::error_code ignored;
  if (path.extension() != ".json" || !std::filesystem::is_regular_file(path, ignored)) {
    return arguments;
  }
  const std::string text = read_file(path, ExitCode::kUsage, kMaxBytes);
  const nlohmann::json file = nlohmann::json::parse(text, nullptr, false);
  if (!holds_arguments(file)) return arguments;
  arguments.pop_back();
  for (const auto& [key, value] : file.items()) {
    if (value.is_null()) continue;
    arguments.push_back(fmt::format("--{}={}", key, text_of(value)));
  }
  return arguments;
}

}  // namespace tandem
