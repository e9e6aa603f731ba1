#pragma once
// A tokenizer's JSON files, which anyone may have written: every value is checked as it is read.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tandem {

// The object that is a whole JSON file. Throws ModelError when the text is not JSON, not an object,
// nested too deeply, or has a key twice in one object.
nlohmann::json parse_json_file(std::string_view text, const std::string& file);

// A value and where it stands, for messages such as
//   tokenizer.json: model.unk_token: expected a text, found 7
// Every check throws ModelError. The nlohmann::json must outlive the field.
class JsonField {
 public:
  JsonField(const nlohmann::json& value, std::string file);

  // A member of an object; at() wants it to be there, find() has nothing when it is absent or null.
  JsonField at(std::string_view key) const;
  std::optional<JsonField> find(std::string_view key) const;
  std::vector<std::pair<std::string, JsonField>> members() const;
  std::vector<JsonField> elements() const;

  const std::string& text() const;
  bool boolean() const;
  std::int64_t whole_number(std::int64_t low, std::int64_t high) const;
  const nlohmann::json& value() const { return *value_; }

  // "<file>: <keys>: <message>", and the same with "expected <what>, found <this value>".
  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] void fail_expecting(std::string_view what) const;

 private:
  JsonField child(const nlohmann::json& value, std::string_view step) const;

  const nlohmann::json* value_;
  std::string file_;
  std::string keys_;  // "model.unk_token", empty for the whole file
};

}  // namespace tandem
