#pragma once
// What the reference gives for difficult texts: tokenizer_cases.json, made by
// tools/make_tokenizer_fixtures.py.

#include <string>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "support/temporary_directory.h"
#include "text/tokenizer.h"

namespace tandem::testing {

inline const nlohmann::json& tokenizer_cases() {
  static const nlohmann::json cases = nlohmann::json::parse(
      read_file(TANDEM_TEST_DATA_DIR "/text/tokenizer_cases.json", ExitCode::kData, 1 << 20));
  return cases;
}

// The small tokenizer.json with some sections replaced.
inline nlohmann::json small_tokenizer_json(
    const nlohmann::json& changes = nlohmann::json::object()) {
  nlohmann::json file = tokenizer_cases().at("base");
  file.update(changes);
  return file;
}

inline Tokenizer load_tokenizer_json(const nlohmann::json& file) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", file.dump());
  return Tokenizer::load(directory.path());
}

// The vocab.txt that goes with it.
inline std::string small_vocabulary() {
  const auto& ids = tokenizer_cases().at("base").at("model").at("vocab");
  std::vector<std::string> tokens(ids.size());
  for (const auto& [token, id] : ids.items()) tokens[id.get<std::size_t>()] = token;
  std::string text;
  for (const std::string& token : tokens) text += token + "\n";
  return text;
}

}  // namespace tandem::testing
