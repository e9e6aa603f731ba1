#include "formats/manifest.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/content_hash.h"
#include "base/printable.h"
#include "formats/file_format.h"

namespace tandem {
namespace {

using nlohmann::json;

constexpr std::int64_t kFormat = 1;
constexpr std::int64_t kMostBytes = 1 << 20;
constexpr std::size_t kHashDigits = 32;

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name != kManifestFile &&
         name.find('/') == name.npos && name.find('\0') == name.npos;
}

bool is_hash(std::string_view text) {
  return text.size() == kHashDigits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string hash_of(const InputFile& file) {
  constexpr std::int64_t kBlock = 1 << 20;
  ContentHash hash;
  std::vector<std::byte> block(static_cast<std::size_t>(std::min(kBlock, file.size())));
  for (std::int64_t offset = 0; offset < file.size(); offset += kBlock) {
    const auto part =
        std::span(block).first(static_cast<std::size_t>(std::min(kBlock, file.size() - offset)));
    file.read_at(offset, part);
    hash.add(part);
  }
  return hash.text();
}

}  // namespace

void stage_manifest(StagedFiles& files) {
  json entries = json::object();
  for (const StagedFiles::Written& file : files.written()) {
    entries[file.name] = {{"bytes", file.bytes}, {"xxh3", file.hash}};
  }
  const json manifest = {{"files", std::move(entries)}, {"format", kFormat}};
  files.add(kManifestFile, python_json(manifest, {.indent = 2}) + "\n");
}

std::vector<ManifestEntry> parse_manifest(std::string_view text, const std::string& source) {
  const JsonSource from{.name = source};
  const json content = parse_json(text, from);
  const JsonValue manifest(content, from);
  check_file_format(manifest, kFormat);
  std::vector<ManifestEntry> entries;
  for (const auto& [name, value] : manifest.at("files").members()) {
    if (!is_plain_name(name)) {
      throw ModelError("{}: {} is no name of a file in its directory", source, in_quotes(name));
    }
    const JsonValue hash = value.at("xxh3");
    if (!is_hash(hash.text())) hash.fail_expecting("32 hexadecimal digits");
    entries.push_back(
        {.name = name,
         .bytes = value.at("bytes").whole_number(0, std::numeric_limits<std::int64_t>::max()),
         .hash = hash.text()});
  }
  return entries;
}

void verify_manifest(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / kManifestFile;
  const std::string text = read_file(path, ExitCode::kModel, kMostBytes);
  for (const ManifestEntry& entry : parse_manifest(text, path.string())) {
    const InputFile file(directory / entry.name, ExitCode::kModel);
    if (file.size() != entry.bytes) {
      throw ModelError("{}: is {} bytes long, {} says {}", (directory / entry.name).string(),
                       file.size(), kManifestFile, entry.bytes);
    }
    if (hash_of(file) != entry.hash) {
      throw ModelError("{}: its content isn't the one that {} has the hash of",
                       (directory / entry.name).string(), kManifestFile);
    }
  }
}

}  // namespace tandem
