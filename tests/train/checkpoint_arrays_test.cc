#include "train/checkpoint_arrays.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/random_floats.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

class CheckpointArraysTest : public ::testing::Test {
 protected:
  CheckpointArraysTest() {
    table_.add("word", 5, 7, WeightDecay::kYes);
    table_.add("bias", 1, 3, WeightDecay::kNo);
    for (std::vector<float>* const array : {&weights_, &moment1_, &moment2_}) {
      array->resize(static_cast<std::size_t>(table_.floats()));
    }
    // Gaps between parameters stay zero.
    for (const ParamInfo& param : table_.all()) {
      float value = 1;
      for (std::vector<float>* const array : {&weights_, &moment1_, &moment2_}) {
        std::ranges::generate(Gradients{*array}.vector(param.slice),
                              [&] { return value += 0.25F; });
      }
    }
  }
  CheckpointArrays arrays() const { return {weights_, moment1_, moment2_}; }

  ParamTable table_;
  std::vector<float> weights_, moment1_, moment2_;
  testing::TemporaryDirectory directory_;
};

TEST_F(CheckpointArraysTest, MomentsComeBackBitByBit) {
  StagedFiles files(directory_.path());
  stage_moments(files, table_, arrays());
  files.commit();
  std::vector<float> moment1(moment1_.size());
  std::vector<float> moment2(moment2_.size());
  read_moments(directory_.path(), table_, moment1, moment2);
  EXPECT_EQ(moment1, moment1_);
  EXPECT_EQ(moment2, moment2_);
}

TEST_F(CheckpointArraysTest, MomentsOfAnotherModelAreRefused) {
  StagedFiles files(directory_.path());
  stage_moments(files, table_, arrays());
  files.commit();
  ParamTable other;
  other.add("word", 7, 5, WeightDecay::kYes);
  std::vector<float> moment(static_cast<std::size_t>(other.floats()));
  const testing::Failure failure =
      testing::failure_of([&] { read_moments(directory_.path(), other, moment, moment); });
  EXPECT_EQ(failure.code, ExitCode::kModel);
  EXPECT_NE(failure.message.find("lacks the tensor exp_avg.word of type F32 and shape [7, 5]"),
            std::string::npos);
}

TEST_F(CheckpointArraysTest, ACopyStaysAsItWasTaken) {
  ThreadPool pool(2);
  TrainingSnapshot snapshot;
  const CheckpointArrays copy = snapshot.take(arrays(), pool);
  const std::vector<float> before = weights_;
  weights_.assign(weights_.size(), 0.0F);
  EXPECT_TRUE(std::ranges::equal(copy.weights, before));
  EXPECT_TRUE(std::ranges::equal(copy.moment2, moment2_));
  EXPECT_TRUE(std::ranges::equal(snapshot.take(arrays(), pool).weights, weights_));
}

}  // namespace
}  // namespace tandem
