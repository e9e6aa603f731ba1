#include "cli/predictions_text.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "formats/json.h"
#include "nn/loss.h"

namespace tandem {
namespace {

// body(index, value, best class, probabilities) for each example. For regression only the value
// means something, for classification only the others.
template <class Body>
void for_each_prediction(const Predictions& predictions, const Body& body) {
  const Matrix<const float> rows = predictions.rows();
  std::vector<double> probabilities(static_cast<std::size_t>(rows.cols));
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    softmax({rows.row(r), probabilities.size()}, probabilities);
    const auto best =
        static_cast<std::size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
    body(r, rows.row(r)[0], best, probabilities);
  }
}

bool is_regression(const LabelScheme& labels) { return labels.kind == ProblemKind::kRegression; }

}  // namespace

std::string predictions_table(const Predictions& predictions, const LabelScheme& labels) {
  std::string text = is_regression(labels) ? "index\tprediction\n" : "index\tlabel\tprobability";
  if (!is_regression(labels)) {
    for (const std::string& name : labels.names) text += "\tp(" + name + ")";
    text += "\n";
  }
  for_each_prediction(predictions, [&](std::int64_t index, float value, std::size_t best,
                                       const std::vector<double>& probabilities) {
    if (is_regression(labels)) {
      text += fmt::format("{}\t{:.6g}\n", index, value);
      return;
    }
    text += fmt::format("{}\t{}\t{:.6f}", index, labels.names[best], probabilities[best]);
    for (const double probability : probabilities) text += fmt::format("\t{:.6f}", probability);
    text += "\n";
  });
  return text;
}

std::string predictions_json_lines(const Predictions& predictions, const LabelScheme& labels) {
  std::string text;
  for_each_prediction(predictions, [&](std::int64_t index, float value, std::size_t best,
                                       const std::vector<double>& probabilities) {
    nlohmann::json line = {{"index", index}};
    if (is_regression(labels)) {
      line["prediction"] = value;
    } else {
      line["label"] = labels.names[best];
      line["probability"] = probabilities[best];
      for (std::size_t k = 0; k < probabilities.size(); ++k) {
        line["probabilities"][labels.names[k]] = probabilities[k];
      }
    }
    text += python_json(line, {.indent = std::nullopt}) + "\n";
  });
  return text;
}

std::string reference_predictions(const Predictions& predictions, const LabelScheme& labels) {
  std::string text = "index\tprediction\n";
  for_each_prediction(predictions, [&](std::int64_t index, float value, std::size_t best,
                                       const std::vector<double>&) {
    text += is_regression(labels) ? fmt::format("{}\t{:.3f}\n", index, value)
                                  : fmt::format("{}\t{}\n", index, labels.names[best]);
  });
  return text;
}

}  // namespace tandem
