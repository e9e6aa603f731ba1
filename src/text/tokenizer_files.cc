#include "text/tokenizer_files.h"

#include "base/error.h"
#include "base/file.h"
#include "text/saved_json.h"
#include "text/tokenizer_json.h"
#include "text/vocabulary_file.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxBytes = 64 << 20;

std::string read(const fs::path& path) { return read_file(path, ExitCode::kModel, kMaxBytes); }

}  // namespace

TokenizerFiles read_tokenizer_files(const fs::path& model_directory) {
  const fs::path json_path = model_directory / "tokenizer.json";
  const fs::path vocabulary_path = model_directory / "vocab.txt";
  const fs::path config_path = model_directory / "tokenizer_config.json";
  TokenizerFiles files;
  files.config.file = config_path.string();
  if (fs::exists(config_path)) {
    files.config = parse_tokenizer_config(read(config_path), config_path.string());
  }
  if (fs::exists(json_path)) {
    files.tokenizer_json = read(json_path);
    files.spec = parse_tokenizer_json(files.tokenizer_json, json_path.string());
    check_config_agrees(files.config, files.spec, json_path.string());
    return files;
  }
  if (!fs::exists(vocabulary_path)) {
    throw ModelError("{}: has neither a tokenizer.json nor a vocab.txt", model_directory.string());
  }
  if (const fs::path added = model_directory / "added_tokens.json"; fs::exists(added)) {
    throw ModelError(
        "{}: not supported beside a vocab.txt; save the tokenizer with transformers to get a "
        "tokenizer.json",
        added.string());
  }
  files.spec = parse_vocabulary_file(read(vocabulary_path), vocabulary_path.string(), files.config);
  return files;
}

std::vector<Tokenizer::File> saved_tokenizer_files(const TokenizerFiles& files, Segments segments) {
  return {{"tokenizer.json",
           files.tokenizer_json.empty() ? write_tokenizer_json(files.spec) : files.tokenizer_json},
          {"tokenizer_config.json", write_tokenizer_config(files.spec, files.config, segments)},
          {"special_tokens_map.json", write_special_tokens_map(files.spec, files.config)},
          {"vocab.txt", write_vocabulary_file(files.spec.vocabulary)}};
}

}  // namespace tandem
