#pragma once
// What a run computed with, as a report shows it.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nn/compute.h"
#include "train/classifier_model.h"

namespace tandem {

double gigabytes(std::int64_t bytes);

// Names and values: processor, threads, kernels, precision, this program's version, the time.
std::vector<std::pair<std::string, std::string>> machine_table(Compute& compute,
                                                               const ClassifierModel& model);

}  // namespace tandem
