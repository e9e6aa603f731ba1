// How what was loaded is told.

#include <algorithm>

#include <fmt/format.h>

#include "base/printable.h"
#include "formats/json.h"
#include "model/model_directory.h"

namespace tandem {
namespace {

std::string tensors(std::int64_t count) {
  return fmt::format("{} tensor{}", count, count == 1 ? "" : "s");
}

std::string pooler_line(const LoadReport& report) {
  const bool bert = report.family == ModelFamily::kBert;
  const char* const name = bert ? "pooler" : "pre-classifier";
  if (report.pooler == LoadReport::Part::kLoaded) return fmt::format("{}: loaded", name);
  return fmt::format(
      "{}: new (expected: {})", name,
      bert ? "this model was trained without one" : "this model has not been fine-tuned yet");
}

std::string head_line(const LoadReport& report) {
  switch (report.head) {
    case LoadReport::Part::kLoaded:
      return fmt::format("classification head: loaded ({} output{})", report.labels,
                         report.labels == 1 ? "" : "s");
    case LoadReport::Part::kReplaced:
      return fmt::format(
          "classification head: new, with {} output{} (expected: --ignore-mismatched-sizes drops "
          "the old one)",
          report.labels, report.labels == 1 ? "" : "s");
    case LoadReport::Part::kNew:
      break;
  }
  return "classification head: new (expected: this model has not been fine-tuned yet)";
}

}  // namespace

std::vector<std::string> LoadReport::lines() const {
  std::vector<std::string> result;
  result.push_back(fmt::format("encoder: {0} of {0} tensors loaded from {1} ({2})", encoder_tensors,
                               source, dtypes));
  result.push_back(pooler_line(*this));
  result.push_back(head_line(*this));
  if (pretraining_tensors > 0) {
    result.push_back(
        fmt::format("ignored: {} of pre-training heads (expected)", tensors(pretraining_tensors)));
  }
  if (other_head_tensors > 0) {
    result.push_back(fmt::format("ignored: {} of another task's head{} (expected)",
                                 tensors(other_head_tensors),
                                 architecture.empty() ? "" : ", " + printable(architecture)));
  }
  if (buffers > 0) {
    result.push_back(
        fmt::format("ignored: {} of position or segment numbers (expected)", tensors(buffers)));
  }
  if (!unexpected.empty()) {
    constexpr std::size_t kShown = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(unexpected.size(), kShown); ++i) {
      names += (i == 0 ? "" : ", ") + printable(unexpected[i]);
    }
    if (unexpected.size() > kShown) names += ", ...";
    result.push_back(
        fmt::format("ignored: {} unknown to {}: {} (unexpected: is config.json "
                    "this model's?)",
                    tensors(static_cast<std::int64_t>(unexpected.size())),
                    family == ModelFamily::kBert ? "BERT" : "DistilBERT", names));
  }
  return result;
}

}  // namespace tandem
