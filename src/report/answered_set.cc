#include "report/answered_set.h"

#include <algorithm>
#include <span>

#include "nn/loss.h"

namespace tandem {

AnsweredSet answered_set(const Predictions& predictions, const TokenDataset& dataset,
                         const ExampleSet& examples, const LabelScheme& labels, Results results) {
  AnsweredSet set{.source = dataset.source,
                  .results = std::move(results),
                  .labels = labels,
                  .answers = {predictions.logits.begin(), predictions.logits.end()},
                  .judged = judge(predictions, dataset, labels.kind),
                  .lengths = token_lengths(dataset),
                  .examples = examples.examples};
  if (labels.kind == ProblemKind::kRegression) return set;
  if (labels.kind == ProblemKind::kMultiLabel) {
    std::ranges::transform(set.answers, set.answers.begin(), sigmoid);
    return set;
  }
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
