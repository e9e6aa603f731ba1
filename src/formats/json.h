#pragma once
// JSON files that others wrote, read strictly (RFC 8259), and JSON as Python writes it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"

namespace tandem {

// Which file a text came from, and the exit code of its errors.
struct JsonSource {
  std::string name;
  ExitCode kind = ExitCode::kModel;
  std::int64_t max_depth = 64;  // of nested arrays and objects
};

// The value of a whole JSON text. Throws Error(source.kind) with line and column when it is not
// JSON, not UTF-8, nested too deeply, or has a key twice in one object ("the last one wins" would
// let two readers see two files).
nlohmann::json parse_json(std::string_view text, const JsonSource& source);

// The same for a file of at most `max_bytes`; messages name the whole path.
nlohmann::json read_json_file(const std::filesystem::path& path, ExitCode kind,
                              std::int64_t max_bytes);

// A value and where it stands, for reading settings with messages such as
//   config.json: hidden_size: expected a whole number from 1 to 65536, found "768"
// The nlohmann::json must outlive the view.
class JsonValue {
 public:
  JsonValue(const nlohmann::json& value, JsonSource source);

  // A member of an object. find() has nothing when it is absent or null; both throw when this is
  // not an object, at() also when the member is absent or null.
  JsonValue at(std::string_view key) const;
  std::optional<JsonValue> find(std::string_view key) const;
  // All members in order of their keys; all elements of an array.
  std::vector<std::pair<std::string, JsonValue>> members() const;
  std::vector<JsonValue> elements() const;

  // The value itself; throw when it is of another type or out of [low, high].
  std::int64_t whole_number(std::int64_t low, std::int64_t high) const;
  double number(double low, double high) const;
  bool boolean() const;
  const std::string& text() const;

  bool is_text() const;
  const nlohmann::json& raw() const { return *value_; }
  // Throws the error "<file>: <path of keys>: expected <what>, found <this value>".
  [[noreturn]] void fail_expecting(std::string_view what) const;
  // Throws the error "<file>: <path of keys>: <message>".
  [[noreturn]] void fail(std::string_view message) const;

 private:
  JsonValue child(const nlohmann::json& value, std::string_view step) const;

  const nlohmann::json* value_;
  JsonSource source_;
  std::string path_;  // "id2label.3", empty for the whole file
};

// How Python's json.dumps(value, indent=..., ensure_ascii=..., sort_keys=True) writes.
struct PythonJsonStyle {
  std::optional<int> indent = 2;  // nothing: one line
  bool ensure_ascii = true;
};

// The text that Python's json.dumps gives: floats by repr (5e-05, 2.0), NaN and Infinity bare,
// keys in order of their code points. No newline at the end.
std::string python_json(const nlohmann::json& value, const PythonJsonStyle& style = {});

// Python's repr of a float.
std::string python_float(double value);

}  // namespace tandem
