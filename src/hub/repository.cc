#include "hub/repository.h"

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"

namespace tandem {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name_part(std::string_view part) {
  constexpr std::size_t kLongest = 96;
  return !part.empty() && part.size() <= kLongest && is_word(part.front()) &&
         is_word(part.back()) &&
         std::ranges::all_of(part, [](char c) { return is_word(c) || c == '-' || c == '.'; });
}

bool is_hexadecimal(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

bool is_repository_name(std::string_view name) {
  if (name.find("--") != name.npos || name.find("..") != name.npos || name.ends_with(".git")) {
    return false;
  }
  const std::size_t slash = name.find('/');
  if (slash == name.npos) return is_name_part(name);
  return is_name_part(name.substr(0, slash)) && is_name_part(name.substr(slash + 1));
}

Repository checked_repository(RepositoryKind kind, std::string_view name,
                              std::string_view revision) {
  if (!is_repository_name(name)) {
    throw UsageError(
        "{}: not a name on the hub; expected NAME or ORGANISATION/NAME of letters, digits, '-', "
        "'_' and '.', e.g. google-bert/bert-base-cased",
        in_quotes(name));
  }
  const bool harmless = std::ranges::all_of(
      revision, [](char c) { return is_word(c) || c == '-' || c == '.' || c == '/' || c == '+'; });
  if (!harmless || !is_path_inside(revision)) {
    throw UsageError("--revision {}: not a branch, a tag or a commit", in_quotes(revision));
  }
  return {.kind = kind, .name = std::string(name), .revision = std::string(revision)};
}

std::string folder_name(const Repository& repository) {
  std::string name = repository.name;
  if (const std::size_t slash = name.find('/'); slash != name.npos) name.replace(slash, 1, "--");
  return (repository.kind == RepositoryKind::kModel ? "models--" : "datasets--") + name;
}

bool is_commit(std::string_view text) { return is_hexadecimal(text, 40); }

bool is_sha256(std::string_view text) { return is_hexadecimal(text, 64); }

bool is_path_inside(std::string_view path) {
  constexpr std::size_t kLongest = 1024;
  if (path.size() > kLongest || path.find('\0') != path.npos) return false;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == path.size()) return true;
    begin = end + 1;
  }
}

}  // namespace tandem
