#include "train/evaluation_table.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(EvaluationTable, HasTitlesOnceAndAMarkAtTheBest) {
  EvaluationTable table;
  const Results first = {{"eval_loss", 0.5}, {"eval_accuracy", 0.75}, {"eval_runtime", 3}};
  EXPECT_EQ(
      table.add({.step = 115, .epoch = 1, .train_loss = 0.625, .results = first, .best = true}),
      "  step   epoch  train_loss  eval_loss  eval_accuracy\n"
      "   115    1.00      0.6250     0.5000         0.7500  best so far");
  const Results second = {{"eval_loss", 12.25}, {"eval_accuracy", 0.5}};
  EXPECT_EQ(table.add({.step = 230, .epoch = 2, .train_loss = 0.5, .results = second}),
            "   230    2.00      0.5000    12.2500         0.5000");
}

TEST(EvaluationTable, OtherResultsHaveOtherTitles) {
  EvaluationTable table;
  table.add({.step = 1, .epoch = 1, .train_loss = 1, .results = {{"eval_f1", 1}}});
  EXPECT_EQ(table.add({.step = 2, .epoch = 2, .train_loss = 1, .results = {{"eval_mse", 1}}}),
            "  step   epoch  train_loss  eval_mse\n     2    2.00      1.0000    1.0000");
}

}  // namespace
}  // namespace tandem
