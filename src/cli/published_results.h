#pragma once
// What others reached on a GLUE task, beside what was reached here.

#include "data/task.h"
#include "train/run_log.h"

namespace tandem {

// One line with the published range of each metric among the results, or nothing.
void say_published_results(const Task& task, const Results& results);

}  // namespace tandem
