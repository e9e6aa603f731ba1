#pragma once
// Answers to GLUE's test rows, in the files that its server takes.

#include <string>

#include "cli/question_flags.h"

namespace tandem {

// Predicts every test split of the task found in `data_directory` (for MNLI also the diagnostic
// set, where it is) and writes a file for each into `output_directory`: "index\tprediction", with
// names, numbers or values as the server wants them. Throws ModelError when the model's labels
// aren't the task's.
void write_glue_submission(const QuestionFlags& flags, const std::string& data_directory,
                           const std::string& output_directory);

}  // namespace tandem
