#include "data/class_weights.h"

#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/printable.h"
#include "data/labels.h"
#include "data/number.h"

namespace tandem {
namespace {

std::size_t require_column(const Table& table, std::string_view name) {
  if (const std::optional<std::size_t> found = table.find(name)) return *found;
  throw DataError(
      "{}: there is no column {} (columns: {}); class weights need \"label\" and "
      "\"weight\"",
      table.source(), in_quotes(name), list_in_quotes(table.columns()));
}

}  // namespace

std::vector<float> balanced_class_weights(const ExampleSet& examples, const LabelScheme& scheme) {
  const std::vector<std::int64_t> counts = count_labels(examples, scheme);
  const auto rows = static_cast<double>(examples.examples.size());
  std::vector<float> weights;
  for (const std::int64_t count : counts) {
    const double all = static_cast<double>(counts.size()) * static_cast<double>(count);
    weights.push_back(count == 0 ? 1.0F : static_cast<float>(rows / all));
  }
  return weights;
}

std::vector<float> read_class_weights(const Table& table, const LabelScheme& scheme) {
  const std::size_t label_column = require_column(table, "label");
  const std::size_t weight_column = require_column(table, "weight");
  const LabelMap map(scheme, "training");
  std::vector<float> weights(scheme.names.size());
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    float& weight = weights[static_cast<std::size_t>(map.at(table, row, label_column))];
    if (weight != 0) {
      throw DataError("{}: the label {} has a weight already", table.where(row),
                      in_quotes(table.cell(row, label_column)));
    }
    const std::string_view cell = trimmed(table.cell(row, weight_column));
    weight = static_cast<float>(parse_number(cell).value_or(0));
    if (!(weight > 0) || !std::isfinite(weight)) {
      throw DataError("{}: expected a weight, a number above 0, found {}", table.where(row),
                      in_quotes(cell));
    }
  }
  for (std::size_t id = 0; id < weights.size(); ++id) {
    if (weights[id] != 0) continue;
    throw DataError("{}: the label {} has no weight; each of {} needs a row", table.source(),
                    in_quotes(scheme.names[id]), list_in_quotes(scheme.names));
  }
  return weights;
}

}  // namespace tandem
