#include "data/task_results.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace tandem {
namespace {

constexpr std::array<PublishedRange, 13> kRanges = {{
    {"cola", "matthews_correlation", 0.5653, 0.594},
    {"sst2", "accuracy", 0.9174, 0.925},
    {"mrpc", "f1", 0.8812, 0.913},
    {"mrpc", "accuracy", 0.8358, 0.875},
    {"stsb", "pearson", 0.881, 0.8871},
    {"stsb", "spearmanr", 0.879, 0.8855},
    {"qqp", "f1", 0.872, 0.8749},
    {"qqp", "accuracy", 0.904, 0.9071},
    {"mnli", "accuracy", 0.839, 0.8404},
    {"mnli", "accuracy_mm", 0.8406, 0.843},
    {"qnli", "accuracy", 0.885, 0.9096},
    {"rte", "accuracy", 0.6534, 0.693},
    {"wnli", "accuracy", 0.563, 0.5634},
}};

// The names and formats of GLUE's sample submission, as jiant's formatter writes them.
struct Submission {
  std::string_view task, file, second_file;
  bool numbers;
};
constexpr std::array<Submission, 10> kSubmissions = {{
    {"cola", "CoLA.tsv", "", true},
    {"sst2", "SST-2.tsv", "", true},
    {"mrpc", "MRPC.tsv", "", true},
    {"stsb", "STS-B.tsv", "", false},
    {"qqp", "QQP.tsv", "", true},
    {"mnli", "MNLI-m.tsv", "MNLI-mm.tsv", false},
    {"qnli", "QNLI.tsv", "", false},
    {"rte", "RTE.tsv", "", false},
    {"wnli", "WNLI.tsv", "", true},
    {"ax", "AX.tsv", "", false},
}};

const Submission& submission_of(const Task& task) {
  const auto found = std::ranges::find(kSubmissions, task.name, &Submission::task);
  TANDEM_CHECK(found != kSubmissions.end(), "task {}", task.name);
  return *found;
}

}  // namespace

std::span<const PublishedRange> published_ranges() { return kRanges; }

std::optional<PublishedRange> published_range(const Task& task, std::string_view metric) {
  const auto found = std::ranges::find_if(kRanges, [&](const PublishedRange& range) {
    return range.task == task.name && range.metric == metric;
  });
  return found == kRanges.end() ? std::nullopt : std::optional(*found);
}

std::string_view submission_file(const Task& task, const TaskSplit& split) {
  const Submission& submission = submission_of(task);
  return split.metric_suffix.empty() ? submission.file : submission.second_file;
}

bool submits_numbers(const Task& task) { return submission_of(task).numbers; }

}  // namespace tandem
