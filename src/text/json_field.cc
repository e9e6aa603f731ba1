#include "text/json_field.h"

#include <unordered_set>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/printable.h"
#include "base/utf8.h"

namespace tandem {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 64;
constexpr std::size_t kShownBytes = 60;

std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  return value.dump();
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: ..." without its first part.
std::string_view parser_message(const json::exception& error) {
  const std::string_view what = error.what();
  const std::size_t bracket = what.find("] ");
  return bracket == what.npos ? what : what.substr(bracket + 2);
}

}  // namespace

nlohmann::json parse_json_file(std::string_view text, const std::string& file) {
  // The parser takes a NUL for the end of the text and would not see what comes after it.
  if (text.find('\0') != text.npos) throw ModelError("{}: not valid JSON: it has a NUL byte", file);
  std::vector<std::unordered_set<std::string>> keys;  // of the objects that are open
  const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) throw ModelError("{}: nested more than {} deep", file, kMaxDepth);
    if (event == json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) {
        throw ModelError("{}: the key {} occurs twice in one object", file, in_quotes(key));
      }
    }
    return true;
  };
  json value;
  try {
    value = json::parse(text, check);
  } catch (const json::exception& error) {
    throw ModelError("{}: not valid JSON: {}", file, parser_message(error));
  }
  if (!value.is_object()) throw ModelError("{}: expected an object, found {}", file, shown(value));
  return value;
}

JsonField::JsonField(const json& value, std::string file)
    : value_(&value), file_(std::move(file)) {}

JsonField JsonField::child(const json& value, std::string_view step) const {
  JsonField field(value, file_);
  field.keys_ = keys_.empty() ? std::string(step) : fmt::format("{}.{}", keys_, step);
  return field;
}

JsonField JsonField::at(std::string_view key) const {
  if (!value_->is_object()) fail_expecting("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) fail(fmt::format("the key \"{}\" is missing", key));
  return child(*found, key);
}

std::optional<JsonField> JsonField::find(std::string_view key) const {
  if (!value_->is_object()) fail_expecting("an object");
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return child(*found, key);
}

std::vector<std::pair<std::string, JsonField>> JsonField::members() const {
  if (!value_->is_object()) fail_expecting("an object");
  std::vector<std::pair<std::string, JsonField>> result;
  for (const auto& [key, value] : value_->items()) result.emplace_back(key, child(value, key));
  return result;
}

std::vector<JsonField> JsonField::elements() const {
  if (!value_->is_array()) fail_expecting("an array");
  std::vector<JsonField> result;
  for (const json& value : *value_) result.push_back(child(value, std::to_string(result.size())));
  return result;
}

const std::string& JsonField::text() const {
  if (!value_->is_string()) fail_expecting("a text");
  return value_->get_ref<const std::string&>();
}

bool JsonField::boolean() const {
  if (!value_->is_boolean()) fail_expecting("true or false");
  return value_->get<bool>();
}

std::int64_t JsonField::whole_number(std::int64_t low, std::int64_t high) const {
  const bool fits = value_->is_number_unsigned()
                        ? value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
                        : value_->is_number_integer() && value_->get<std::int64_t>() <= high;
  if (!fits || value_->get<std::int64_t>() < low) {
    fail_expecting(fmt::format("a whole number from {} to {}", low, high));
  }
  return value_->get<std::int64_t>();
}

void JsonField::fail(std::string_view message) const {
  if (keys_.empty()) throw ModelError("{}: {}", file_, message);
  throw ModelError("{}: {}: {}", file_, keys_, message);
}

void JsonField::fail_expecting(std::string_view what) const {
  fail(fmt::format("expected {}, found {}", what, shown(*value_)));
}

}  // namespace tandem
