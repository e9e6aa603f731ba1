#include "base/system_file.h"

#include <fstream>
#include <sstream>

namespace tandem {

std::optional<std::string> first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<std::int64_t> number_in(const std::filesystem::path& path) {
  const std::optional<std::string> line = first_line(path);
  if (!line) return std::nullopt;
  std::istringstream stream(*line);
  std::int64_t value = 0;
  if (!(stream >> value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> number_of_key(const std::filesystem::path& path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream stream(line);
    std::string word;
    std::int64_t number = 0;
    if (stream >> word >> number && word == key) return number;
  }
  return std::nullopt;
}

}  // namespace tandem
