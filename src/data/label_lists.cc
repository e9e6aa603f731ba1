#include "data/label_lists.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/printable.h"

namespace tandem {
namespace {

// What json_lines wrote into the cell, so it is valid JSON.
std::vector<std::string> list_elements(const Table& table, std::int64_t row, std::size_t column) {
  std::vector<std::string> labels;
  for (const auto& element : nlohmann::json::parse(table.cell(row, column))) {
    const bool text = element.is_string();
    std::string label(trimmed(text ? element.get<std::string>() : element.dump()));
    if (label.empty() || !(text || element.is_number() || element.is_boolean())) {
      throw DataError("{}: column {}: expected a list of labels, texts or numbers, found {}",
                      table.where(row), in_quotes(table.columns()[column]),
                      in_quotes(table.cell(row, column)));
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

std::vector<std::string> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> labels;
  while (true) {
    const std::size_t end = separator.empty() ? std::string_view::npos : text.find(separator);
    const std::string_view part = trimmed(text.substr(0, end));
    if (!part.empty()) labels.emplace_back(part);
    if (end == std::string_view::npos) return labels;
    text.remove_prefix(end + separator.size());
  }
}

}  // namespace

bool has_lists(const Table& table, std::size_t column) {
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    if (table.kind(row, column) == CellKind::kList) return true;
  }
  return false;
}

std::vector<std::string> labels_in_cell(const Table& table, std::int64_t row, std::size_t column,
                                        std::string_view separator) {
  const CellKind kind = table.kind(row, column);
  if (kind == CellKind::kNull || kind == CellKind::kObject) {
    throw DataError("{}: column {}: expected a list of labels, found {}; a row without any has []",
                    table.where(row), in_quotes(table.columns()[column]),
                    kind == CellKind::kNull ? "null" : in_quotes(table.cell(row, column)));
  }
  const std::vector<std::string> found = kind == CellKind::kList
                                             ? list_elements(table, row, column)
                                             : parts_of(table.cell(row, column), separator);
  std::vector<std::string> labels;
  for (const std::string& label : found) {
    if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

}  // namespace tandem
