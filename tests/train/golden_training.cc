#include "optim/gradient_norm.h"
#include "support/golden.h"

namespace tandem::testing {

TrainingCurve train_as_golden(GoldenModel& model, const Golden& golden, const Schedule& schedule,
                              double weight_decay) {
  TrainingCurve curve;
  const TokenDataset dataset = golden.dataset();
  std::vector<float> moment1(model.gradients.size());
  std::vector<float> moment2(model.gradients.size());
  for (std::int64_t step = 0; step < schedule.total_steps; ++step) {
    curve.losses.push_back(model.loss_and_gradients(pack(dataset, golden.step_sequences(step))));
    curve.norms.push_back(
        gradient_norm(model.gradients, model.compute.kernels(), model.compute.pool()));
    adamw_update(model.loaded.table,
                 {model.loaded.weights, model.gradients, moment1, moment2, model.bf16_weights},
                 {.weight_decay = weight_decay},
                 {.update = step + 1,
                  .learning_rate = schedule.at(step),
                  .gradient_scale = clip_scale(curve.norms.back(), 1)},
                 model.compute.kernels(), model.compute.pool());
  }
  return curve;
}

}  // namespace tandem::testing
