#include "cli/run_checkpoints.h"

#include <utility>

#include "base/log.h"
#include "cli/resume_point.h"

namespace tandem {

void RunCheckpoints::begin(std::int64_t step, const CheckpointArrays& arrays, CheckpointTexts texts,
                           std::optional<std::int64_t> best_step) {
  task_.wait();
  const auto floats = static_cast<std::int64_t>(arrays.weights.size());
  if (!TrainingSnapshot::fits(floats)) {
    write(step, arrays, texts, best_step);
    return;
  }
  const CheckpointArrays copy = snapshot_.take(arrays, compute_.pool());
  task_.start([this, step, copy, texts = std::move(texts), best_step] {
    write(step, copy, texts, best_step);
  });
}

void RunCheckpoints::write(std::int64_t step, const CheckpointArrays& arrays,
                           const CheckpointTexts& texts, std::optional<std::int64_t> best_step) {
  checkpoints_.save(
      step,
      [&](StagedFiles& files) {
        session_.stage(files, arrays.weights);
        stage_moments(files, session_.table(), arrays);
        files.add("trainer_state.json", texts.trainer_state);
        files.add(kArgumentsFile, texts.arguments);
        files.add(kProgressFile, texts.progress);
      },
      best_step);
  log_info("saved {}", checkpoints_.path_of(step).string());
}

}  // namespace tandem
