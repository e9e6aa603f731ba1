#include "data/columns.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "data/number.h"

namespace tandem {
namespace {

constexpr std::array<std::string_view, 8> kLabelNames = {
    "label", "labels", "class", "target", "category", "sentiment", "gold_label", "score"};
constexpr std::array<std::string_view, 8> kIdNames = {"id",   "idx",   "index",  "guid",
                                                      "uuid", "rowid", "row_id", "row"};

// An exact match goes before one in another case.
std::optional<std::size_t> find_any_case(const Table& table, std::string_view name) {
  if (const std::optional<std::size_t> exact = table.find(name)) return exact;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (lower_case(table.columns()[i]) == name) return i;
  }
  return std::nullopt;
}

struct Purpose {
  std::string_view name, flag;
};
constexpr Purpose kText = {"text", "--text-column"};
constexpr Purpose kPair = {"pair", "--pair-column"};
constexpr Purpose kLabel = {"label", "--label-column"};

std::size_t find_named(const Table& table, std::string_view name, const Purpose& purpose,
                       const std::string& like) {
  const std::string_view looked_for = trimmed(name);
  if (const std::optional<std::size_t> found = table.find(looked_for)) return *found;
  const std::string why = like.empty() ? fmt::format("{}: ", purpose.flag) : std::string();
  const std::string of =
      like.empty() ? std::string() : fmt::format(", the {} of {}", purpose.name, like);
  throw DataError("{}: {}there is no column {}{} (columns: {}){}", table.source(), why,
                  in_quotes(looked_for), of, list_in_quotes(table.columns()),
                  suggestion(looked_for, table.columns()));
}

void require_different(const Table& table, std::optional<std::size_t> a, const Purpose& purpose_a,
                       std::optional<std::size_t> b, const Purpose& purpose_b) {
  if (!a || !b || *a != *b) return;
  throw DataError("{}: {} and {} are the same column {} (columns: {})", table.source(),
                  purpose_a.flag, purpose_b.flag, in_quotes(table.columns()[*a]),
                  list_in_quotes(table.columns()));
}

// Not a text: its name says so, or every cell is a number or nothing at all.
bool is_id_or_numbers(const Table& table, std::size_t column) {
  const std::string name = lower_case(table.columns()[column]);
  if (name.starts_with("unnamed ")) return true;
  if (std::find(kIdNames.begin(), kIdNames.end(), name) != kIdNames.end()) return true;
  // A thousand rows tell numbers from texts.
  const std::int64_t rows = std::min<std::int64_t>(table.rows(), 1000);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::string_view cell = trimmed(table.cell(row, column));
    if (!cell.empty() && !parse_number(cell)) return false;
  }
  return true;
}

void find_label(const Table& table, const ColumnNames& names, LabelNeed need,
                ColumnChoice& choice) {
  if (names.label) {
    const bool may_lack = need == LabelNeed::kIfPresent && !names.like.empty();
    if (may_lack && !table.find(trimmed(*names.label))) return;
    choice.label = find_named(table, *names.label, kLabel, names.like);
    return;
  }
  const auto named = [&](std::size_t column) {
    const std::string& name = table.columns()[column];
    return (names.text && trimmed(*names.text) == name) ||
           (names.pair && trimmed(*names.pair) == name);
  };
  for (const std::string_view name : kLabelNames) {
    const std::optional<std::size_t> found = find_any_case(table, name);
    // A `label` that was named for a text and is needed as the label as well is a contradiction.
    const bool contradiction = name == "label" && need == LabelNeed::kRequired;
    if (!found || (named(*found) && !contradiction)) continue;
    choice.label = *found;
    if (table.columns()[*found] != "label") {
      choice.notes.push_back(
          fmt::format("no column is called \"label\"; took {} for the labels (--label-column names "
                      "another)",
                      in_quotes(table.columns()[*found])));
    }
    return;
  }
  if (need == LabelNeed::kIfPresent) return;
  throw DataError(
      "{}: there is no column \"label\" (columns: {}); name the one that holds the "
      "labels with --label-column{}",
      table.source(), list_in_quotes(table.columns()), suggestion("label", table.columns()));
}

void note_left_out(const Table& table, std::span<const std::size_t> columns, ColumnChoice& choice) {
  if (columns.empty()) return;
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(table.columns()[column]);
  choice.notes.push_back(fmt::format("left out: {}", list_in_quotes(names)));
}

// Neither text nor pair is named, or the pair alone (`taken`).
void find_texts(const Table& table, std::optional<std::size_t> taken, ColumnChoice& choice) {
  const std::optional<std::size_t> first = find_any_case(table, "sentence1");
  const std::optional<std::size_t> second = find_any_case(table, "sentence2");
  if (!taken && first && second && first != choice.label && second != choice.label) {
    choice.text = *first;
    choice.pair = *second;
    return;
  }
  std::vector<std::size_t> others, texts, left_out;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (choice.label == i || taken == i) continue;
    others.push_back(i);
    (is_id_or_numbers(table, i) ? left_out : texts).push_back(i);
  }
  // The only column is the text, whatever it looks like.
  if (texts.empty() && others.size() == 1) texts.swap(left_out);
  if (texts.empty()) {
    throw DataError(
        "{}: no column holds texts{}; name the one that does with --text-column "
        "(columns: {})",
        table.source(),
        choice.label
            ? fmt::format(" beside the label {}", in_quotes(table.columns()[*choice.label]))
            : std::string(),
        list_in_quotes(table.columns()));
  }
  choice.text = texts.front();
  choice.pair = taken;
  std::size_t used = 1;
  if (!taken && texts.size() > 1) {
    choice.pair = texts[1];
    used = 2;
    choice.notes.push_back(
        fmt::format("took {} and {} for a pair of texts (--text-column {} reads the first alone)",
                    in_quotes(table.columns()[texts[0]]), in_quotes(table.columns()[texts[1]]),
                    table.columns()[texts[0]]));
  }
  left_out.insert(left_out.end(), texts.begin() + static_cast<std::ptrdiff_t>(used), texts.end());
  std::sort(left_out.begin(), left_out.end());
  note_left_out(table, left_out, choice);
}

}  // namespace

ColumnChoice choose_columns(const Table& table, const ColumnNames& names, LabelNeed need) {
  ColumnChoice choice;
  find_label(table, names, need, choice);
  std::optional<std::size_t> pair;
  if (names.pair) pair = find_named(table, *names.pair, kPair, names.like);
  require_different(table, pair, kPair, choice.label, kLabel);
  if (names.text) {
    choice.text = find_named(table, *names.text, kText, names.like);
    choice.pair = pair;
    require_different(table, choice.text, kText, choice.pair, kPair);
    require_different(table, choice.text, kText, choice.label, kLabel);
  } else {
    find_texts(table, pair, choice);
  }
  return choice;
}

ColumnNames names_of(const Table& table, const ColumnChoice& choice) {
  ColumnNames names;
  names.like = table.source();
  names.text = table.columns()[choice.text];
  if (choice.pair) names.pair = table.columns()[*choice.pair];
  if (choice.label) names.label = table.columns()[*choice.label];
  return names;
}

std::string describe_columns(const Table& table, const ColumnChoice& choice) {
  const auto column = [&](std::string_view purpose, std::size_t index) {
    return fmt::format("{}: column {} ({} of {})", purpose, in_quotes(table.columns()[index]),
                       index + 1, table.columns().size());
  };
  std::string out = column("text", choice.text);
  if (choice.pair) out += ", " + column("pair", *choice.pair);
  if (choice.label) out += ", " + column("label", *choice.label);
  return out;
}

}  // namespace tandem
