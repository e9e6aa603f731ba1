#include "data/table.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/printable.h"

namespace tandem {

Table::Table(std::string source, std::vector<std::string> names, std::int64_t header_line)
    : source_(std::move(source)), columns_(std::move(names)) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i] = std::string(trimmed(columns_[i]));
    if (columns_[i].empty()) columns_[i] = fmt::format("unnamed {}", i + 1);
    const std::optional<std::size_t> first = find(columns_[i]);
    if (*first != i) {
      throw DataError("{}:{}: two columns have the name {}, number {} and number {}; rename one",
                      source_, header_line, in_quotes(columns_[i]), *first + 1, i + 1);
    }
  }
}

std::optional<std::size_t> Table::find(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(std::distance(columns_.begin(), found));
}

std::string_view Table::cell(std::int64_t row, std::size_t column) const {
  const std::size_t index = at(row, column);
  const std::uint64_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(text_).substr(begin, ends_[index] - begin);
}

std::string Table::where(std::int64_t row) const {
  return fmt::format("{}:{}", source_, line(row));
}

void Table::add_cell(std::string_view cell, CellKind kind) {
  text_.append(cell);
  ends_.push_back(text_.size());
  kinds_.push_back(kind);
}

void Table::end_row(std::int64_t line) {
  lines_.push_back(line);
  TANDEM_CHECK(ends_.size() == lines_.size() * columns_.size(),
               "{}:{}: {} cells in {} rows of {} columns", source_, line, ends_.size(),
               lines_.size(), columns_.size());
  // Examples are numbered in 32 bits everywhere after this.
  if (lines_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw DataError("{}:{}: more than {} rows; split the file", source_, line,
                    std::numeric_limits<std::uint32_t>::max());
  }
}

void Table::drop_unfinished_row() {
  const std::size_t cells = lines_.size() * columns_.size();
  if (ends_.size() == cells) return;
  ends_.resize(cells);
  kinds_.resize(cells);
  text_.resize(cells == 0 ? 0 : ends_.back());
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace tandem
