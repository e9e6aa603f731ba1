#include "formats/json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/printable.h"
#include "base/utf8.h"

namespace tandem {
namespace {

using nlohmann::json;

[[noreturn]] void fail_at(const JsonSource& source, std::string_view text, std::size_t offset,
                          std::string_view message) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  throw Error(source.kind, fmt::format("{}:{}: not valid JSON at column {}: {}", source.name, line,
                                       before.size() - line_start + 1, message));
}

// Builds the value from the parser's events. A handler of our own, because nlohmann's keeps the
// last of two equal keys and knows no limit on depth.
class Builder {
 public:
  Builder(std::string_view text, const JsonSource& source) : text_(text), source_(source) {}

  bool null() { return add(nullptr) != nullptr; }
  bool boolean(bool value) { return add(value) != nullptr; }
  bool number_integer(json::number_integer_t value) { return add(value) != nullptr; }
  bool number_unsigned(json::number_unsigned_t value) { return add(value) != nullptr; }
  bool number_float(json::number_float_t value, const std::string&) {
    return add(value) != nullptr;
  }
  bool string(std::string& value) { return add(std::move(value)) != nullptr; }
  bool binary(json::binary_t&) { return false; }  // does not occur in text
  bool start_object(std::size_t) { return open(json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    const auto [place, is_new] = open_.back()->get_ref<json::object_t&>().emplace(name, nullptr);
    if (!is_new) {
      throw Error(source_.kind, fmt::format("{}: the key \"{}\" occurs twice in one object",
                                            source_.name, printable(name)));
    }
    member_ = &place->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const json::exception& error) {
    if (error.id == 406) {
      throw Error(source_.kind,
                  fmt::format("{}: the number {} is too large", source_.name, printable(token)));
    }
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
    const std::string_view what = error.what();
    const std::size_t colon = what.find(": ");
    fail_at(source_, text_, std::min(position, text_.size()) - (position > 0 ? 1 : 0),
            printable(colon == what.npos ? what : what.substr(colon + 2), 200));
  }

  json root;

 private:
  json* add(json value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    if (open_.back()->is_array()) {
      auto& elements = open_.back()->get_ref<json::array_t&>();
      elements.push_back(std::move(value));
      return &elements.back();
    }
    *member_ = std::move(value);
    return member_;
  }

  bool open(json container) {
    if (static_cast<std::int64_t>(open_.size()) >= source_.max_depth) {
      throw Error(source_.kind,
                  fmt::format("{}: nested more than {} deep", source_.name, source_.max_depth));
    }
    open_.push_back(add(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const JsonSource& source_;
  std::vector<json*> open_;  // from the root to the innermost; only the innermost grows
  json* member_ = nullptr;   // where the innermost object's next value goes
};

}  // namespace

nlohmann::json parse_json(std::string_view text, const JsonSource& source) {
  if (const auto invalid = first_invalid_utf8(text)) {
    fail_at(source, text, *invalid, "a byte that is not UTF-8");
  }
  // The parser takes a NUL for the end of the text and would not see what comes after it.
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {
    fail_at(source, text, nul, "a NUL byte");
  }
  Builder builder(text, source);
  json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder.root);
}

nlohmann::json read_json_file(const std::filesystem::path& path, ExitCode kind,
                              std::int64_t max_bytes) {
  return parse_json(read_file(path, kind, max_bytes), {.name = path.string(), .kind = kind});
}

JsonValue::JsonValue(const nlohmann::json& value, JsonSource source)
    : value_(&value), source_(std::move(source)) {}

JsonValue JsonValue::child(const nlohmann::json& value, std::string_view step) const {
  JsonValue result(value, source_);
  result.path_ = path_.empty() ? printable(step) : path_ + "." + printable(step);
  return result;
}

JsonValue JsonValue::at(std::string_view key) const {
  if (auto found = find(key)) return *std::move(found);
  child(*value_, key).fail("missing");
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (!value_->is_object()) fail_expecting("an object");
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return {};
  return child(*found, key);
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!value_->is_object()) fail_expecting("an object");
  std::vector<std::pair<std::string, JsonValue>> result;
  for (const auto& [key, value] : value_->items()) result.emplace_back(key, child(value, key));
  return result;
}

std::vector<JsonValue> JsonValue::elements() const {
  if (!value_->is_array()) fail_expecting("an array");
  std::vector<JsonValue> result;
  for (const json& value : *value_) result.push_back(child(value, std::to_string(result.size())));
  return result;
}

std::int64_t JsonValue::whole_number(std::int64_t low, std::int64_t high) const {
  const bool fits = value_->is_number_integer() &&
                    !(value_->is_number_unsigned() &&
                      value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
  const std::int64_t number = fits ? value_->get<std::int64_t>() : 0;
  if (!fits || number < low || number > high) {
    fail_expecting(fmt::format("a whole number from {} to {}", low, high));
  }
  return number;
}

double JsonValue::number(double low, double high) const {
  const double number = value_->is_number() ? value_->get<double>() : 0;
  if (!value_->is_number() || !(number >= low && number <= high)) {
    fail_expecting(fmt::format("a number from {} to {}", low, high));
  }
  return number;
}

bool JsonValue::boolean() const {
  if (!value_->is_boolean()) fail_expecting("true or false");
  return value_->get<bool>();
}

const std::string& JsonValue::text() const {
  if (!value_->is_string()) fail_expecting("a string");
  return value_->get_ref<const std::string&>();
}

bool JsonValue::is_text() const { return value_->is_string(); }

void JsonValue::fail_expecting(std::string_view what) const {
  std::string found = value_->is_array() ? "an array" : "an object";
  if (value_->is_primitive()) found = printable(python_json(*value_, {.ensure_ascii = false}), 60);
  fail(fmt::format("expected {}, found {}", what, found));
}

void JsonValue::fail(std::string_view message) const {
  throw Error(source_.kind, path_.empty()
                                ? fmt::format("{}: {}", source_.name, message)
                                : fmt::format("{}: {}: {}", source_.name, path_, message));
}

}  // namespace tandem
