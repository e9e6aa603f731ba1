#pragma once
// What BERT-base is known to reach on GLUE's validation rows, and what GLUE's server wants.

#include <optional>
#include <span>
#include <string_view>

#include "data/task.h"

namespace tandem {

// Between the lowest and the highest published result, as a share of 1.
struct PublishedRange {
  std::string_view task, metric;  // the metric with its suffix: "accuracy_mm"
  double low, high;
};

// BERT-base's, cased and uncased, after 3 epochs (MRPC and WNLI 5): of the example run_glue.py in
// transformers (its README, fp32 and fp16, 05ce25b) and of naver/claf (pull request 15). Empty for
// AX, whose labels are known to the server alone.
std::span<const PublishedRange> published_ranges();
std::optional<PublishedRange> published_range(const Task& task, std::string_view metric);

// The file that GLUE's server expects for a test split: "MNLI-mm.tsv".
std::string_view submission_file(const Task& task, const TaskSplit& split);
// Whether its labels are numbers (0 and 1) there and not names.
bool submits_numbers(const Task& task);

}  // namespace tandem
