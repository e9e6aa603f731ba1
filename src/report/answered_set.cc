#include "report/answered_set.h"

#include <span>

#include "nn/loss.h"

namespace tandem {

AnsweredSet answered_set(const Predictions& predictions, const TokenDataset& dataset,
                         const ExampleSet& examples, const LabelScheme& labels, Results results) {
  AnsweredSet set{.source = dataset.source,
                  .results = std::move(results),
                  .labels = labels,
                  .answers = {predictions.logits.begin(), predictions.logits.end()},
                  .actual = {},
                  .predicted = {},
                  .lengths = token_lengths(dataset),
                  .examples = examples.examples};
  Judged judged = judge(predictions, dataset, labels.kind);
  set.actual = std::move(judged.actual);
  set.predicted = std::move(judged.predicted);
  if (labels.kind == ProblemKind::kRegression) return set;
  const Matrix<const float> rows = predictions.rows();
  const auto outputs = static_cast<std::size_t>(rows.cols);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    softmax({rows.row(r), outputs},
            std::span(set.answers).subspan(static_cast<std::size_t>(r) * outputs, outputs));
  }
  return set;
}

std::vector<double> token_lengths(const TokenDataset& dataset) {
  std::vector<double> lengths(static_cast<std::size_t>(dataset.size()));
  for (std::int64_t i = 0; i < dataset.sequences(); ++i) {
    lengths[static_cast<std::size_t>(dataset.example(i))] += static_cast<double>(dataset.length(i));
  }
  return lengths;
}

}  // namespace tandem
