#include "data/json_lines.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/printable.h"
#include "data/row_checks.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

// dump() descends by recursion, and a line may hold millions of brackets.
constexpr int kMaxDepth = 64;

constexpr std::string_view kHowToConvert =
    "expected one JSON object on each line (JSON Lines); convert: jq -c '.[]' FILE > FILE.jsonl, "
    "or .data[] when the rows stand under a key \"data\"";

// The reason in "[json.exception.parse_error.101] parse error at line 1, column 5: <reason>; last
// read: '...'". The line that nlohmann knows of is always 1, and what it read last may be long.
std::string_view reason_of(const Json::parse_error& error) {
  std::string_view reason = error.what();
  const std::size_t column = reason.find(", column ");
  const std::size_t colon = reason.find(": ", column == std::string_view::npos ? 0 : column);
  if (colon != std::string_view::npos) reason.remove_prefix(colon + 2);
  return reason.substr(0, reason.find("; last read"));
}

Json parse_object(const LineReader& lines) {
  std::vector<std::string> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxDepth) {
      throw DataError("{}:{}: nested deeper than {}", lines.source(), lines.number(), kMaxDepth);
    }
    if (event == Json::parse_event_t::key && depth == 1) keys.push_back(parsed.get<std::string>());
    return true;
  };
  Json object;
  try {
    object = Json::parse(lines.line(), watch);
  } catch (const Json::parse_error& error) {
    const std::string_view line = trimmed(lines.line());
    if (line == "{" || line.starts_with('[')) {
      throw DataError("{}:{}: found {}, a value that goes on over several lines; {}",
                      lines.source(), lines.number(), in_quotes(line), kHowToConvert);
    }
    throw DataError("{}:{}: byte {} of the line: not JSON: {}", lines.source(), lines.number(),
                    error.byte, reason_of(error));
  }
  if (!object.is_object()) {
    throw DataError("{}:{}: found {}; {}", lines.source(), lines.number(), object.type_name(),
                    kHowToConvert);
  }
  std::sort(keys.begin(), keys.end());
  if (const auto twice = std::adjacent_find(keys.begin(), keys.end()); twice != keys.end()) {
    throw DataError("{}:{}: the key {} appears twice", lines.source(), lines.number(),
                    in_quotes(*twice));
  }
  return object;
}

CellKind kind_of(const Json& value) {
  if (value.is_number()) return CellKind::kNumber;
  if (value.is_boolean()) return CellKind::kBoolean;
  if (value.is_null()) return CellKind::kNull;
  if (value.is_array()) return CellKind::kList;
  if (value.is_object()) return CellKind::kObject;
  return CellKind::kText;
}

void add_value(const Json& value, const LineReader& lines, std::string_view key, Table& table) {
  const CellKind kind = kind_of(value);
  if (kind != CellKind::kText) {
    table.add_cell(kind == CellKind::kNull ? std::string() : value.dump(), kind);
    return;
  }
  const std::string& text = value.get_ref<const std::string&>();
  if (text.find('\0') != std::string::npos) {
    throw DataError("{}:{}: the text under {} holds a NUL character (\\u0000), which no text has",
                    lines.source(), lines.number(), in_quotes(key));
  }
  table.add_cell(text);
}

// `names` are the object's keys untrimmed: the table's may be trimmed.
void add_row(const Json& object, const LineReader& lines, std::span<const std::string> names,
             Table& table) {
  for (const std::string& name : names) {
    const auto found = object.find(name);
    if (found == object.end()) {
      throw DataError(
          "{}:{}: the key {} is missing; every line must have the keys of the first "
          "({}), with null where there is no value",
          lines.source(), lines.number(), in_quotes(name), list_in_quotes(names));
    }
    add_value(*found, lines, name, table);
  }
  if (object.size() > names.size()) {
    for (const auto& [key, value] : object.items()) {
      if (std::find(names.begin(), names.end(), key) != names.end()) continue;
      throw DataError(
          "{}:{}: the key {} is not in the first line, which has {}; every line must "
          "have the same keys",
          lines.source(), lines.number(), in_quotes(key), list_in_quotes(names));
    }
  }
  table.end_row(lines.number());
}

}  // namespace

Table read_json_lines(LineReader& lines) {
  require_first_line(lines);
  while (trimmed(lines.line()).empty()) {
    if (!lines.next()) throw DataError("{}: has no rows, blank lines only", lines.source());
  }
  const Json first = parse_object(lines);
  std::vector<std::string> names;
  for (const auto& [key, value] : first.items()) names.push_back(key);
  if (names.empty()) {
    throw DataError("{}:{}: the object has no keys; expected such as \"text\" and \"label\"",
                    lines.source(), lines.number());
  }
  Table table(lines.source(), names, lines.number());
  add_row(first, lines, names, table);
  while (lines.next()) {
    if (trimmed(lines.line()).empty()) continue;
    try {
      add_row(parse_object(lines), lines, names, table);
    } catch (const DataError& fault) {
      table.drop_unfinished_row();
      lines.refuse(fault, lines.number());
    }
  }
  table.faults = lines.take_faults();
  return table;
}

}  // namespace tandem
