#include "cli/predictions_text.h"

#include <algorithm>
#include <vector>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "formats/json.h"
#include "nn/loss.h"

namespace tandem {
namespace {

// What the model says of one example.
struct Answer {
  std::int64_t index;
  float value;                        // of regression; nothing else is meant then
  std::vector<double> probabilities;  // [K]; of several labels at once each for itself
  std::vector<std::string> labels;    // the one with the highest, or all with a logit above 0
  double probability;                 // the highest
};

// body(answer) for each example in input order.
template <class Body>
void for_each_answer(const Predictions& predictions, const LabelScheme& scheme, const Body& body) {
  const Matrix<const float> rows = predictions.rows();
  const auto outputs = static_cast<std::size_t>(rows.cols);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const std::span logits(rows.row(r), outputs);
    Answer answer{.index = r,
                  .value = logits[0],
                  .probabilities = std::vector<double>(outputs),
                  .labels = {},
                  .probability = 0};
    if (scheme.kind == ProblemKind::kMultiLabel) {
      for (std::size_t k = 0; k < outputs; ++k) {
        answer.probabilities[k] = sigmoid(double{logits[k]});
        if (logits[k] > 0) answer.labels.push_back(scheme.names[k]);
      }
    } else {
      softmax(logits, answer.probabilities);
    }
    const auto best = std::ranges::max_element(answer.probabilities);
    answer.probability = *best;
    if (scheme.kind == ProblemKind::kSingleLabel) {
      answer.labels = {scheme.names[static_cast<std::size_t>(best - answer.probabilities.begin())]};
    }
    body(answer);
  }
}

// As Python shows a list of texts.
std::string python_list(const std::vector<std::string>& labels) {
  std::string text = "[";
  for (const std::string& label : labels) {
    const char quote =
        label.find('\'') != std::string::npos && label.find('"') == std::string::npos ? '"' : '\'';
    text += text.size() > 1 ? ", " : "";
    text += quote;
    for (const char c : label) {
      if (c == '\\' || c == quote) text += '\\';
      text += c;
    }
    text += quote;
  }
  return text + "]";
}

}  // namespace

std::string predictions_table(const Predictions& predictions, const LabelScheme& labels) {
  const bool several = labels.kind == ProblemKind::kMultiLabel;
  std::string text = labels.kind == ProblemKind::kRegression ? "index\tprediction"
                     : several                               ? "index\tlabels"
                                                             : "index\tlabel\tprobability";
  for (const std::string& name : labels.names) text += "\tp(" + name + ")";
  text += "\n";
  for_each_answer(predictions, labels, [&](const Answer& answer) {
    if (labels.kind == ProblemKind::kRegression) {
      text += fmt::format("{}\t{:.6g}\n", answer.index, answer.value);
      return;
    }
    text += fmt::format("{}\t{}", answer.index, fmt::join(answer.labels, ","));
    if (!several) text += fmt::format("\t{:.6f}", answer.probability);
    for (const double probability : answer.probabilities)
      text += fmt::format("\t{:.6f}", probability);
    text += "\n";
  });
  return text;
}

std::string predictions_json_lines(const Predictions& predictions, const LabelScheme& labels) {
  std::string text;
  for_each_answer(predictions, labels, [&](const Answer& answer) {
    nlohmann::json line = {{"index", answer.index}};
    if (labels.kind == ProblemKind::kRegression) {
      line["prediction"] = answer.value;
    } else if (labels.kind == ProblemKind::kMultiLabel) {
      line["labels"] = answer.labels;
    } else {
      line["label"] = answer.labels.front();
      line["probability"] = answer.probability;
    }
    for (std::size_t k = 0; k < labels.names.size(); ++k) {
      line["probabilities"][labels.names[k]] = answer.probabilities[k];
    }
    text += python_json(line, {.indent = std::nullopt}) + "\n";
  });
  return text;
}

std::string reference_predictions(const Predictions& predictions, const LabelScheme& labels) {
  std::string text = "index\tprediction\n";
  for_each_answer(predictions, labels, [&](const Answer& answer) {
    switch (labels.kind) {
      case ProblemKind::kRegression:
        text += fmt::format("{}\t{:.3f}\n", answer.index, answer.value);
        break;
      case ProblemKind::kMultiLabel:
        text += fmt::format("{}\t{}\n", answer.index, python_list(answer.labels));
        break;
      case ProblemKind::kSingleLabel:
        text += fmt::format("{}\t{}\n", answer.index, answer.labels.front());
        break;
    }
  });
  return text;
}

}  // namespace tandem
