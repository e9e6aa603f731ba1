#include "cli/published_results.h"

#include <algorithm>
#include <string>

#include "base/log.h"
#include "data/task_results.h"

namespace tandem {

void say_published_results(const Task& task, const Results& results) {
  std::string published, here;
  for (const PublishedRange& range : published_ranges()) {
    if (range.task != task.name) continue;
    const std::string key = fmt::format("eval_{}", range.metric);
    const auto found = std::ranges::find(results, key, &Results::value_type::first);
    if (found == results.end()) continue;
    const char* const comma = published.empty() ? "" : ", ";
    published += fmt::format("{}{} {:.4f} to {:.4f}", comma, range.metric, range.low, range.high);
    here += fmt::format("{}{} {:.4f}", comma, range.metric, found->second);
  }
  if (published.empty()) return;
  log_info("{}: published for BERT-base: {}; here: {}{}", task.name, published, here,
           task.name == "wnli"
               ? "; its validation rows are adversarial: learning from the training "
                 "rows mostly does worse than always giving the more frequent label"
               : "");
}

}  // namespace tandem
