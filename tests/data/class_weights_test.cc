#include "data/class_weights.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "table_text.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::table_of;

const LabelScheme kScheme{.names = {"bad", "good"}};

TEST(ClassWeights, BalancedAreScikitLearns) {
  ExampleSet set;
  for (const float label : {0.0F, 1.0F, 1.0F, 1.0F}) {
    set.examples.push_back({.text = "a", .pair = {}, .label = label, .line = 1});
  }
  // compute_class_weight("balanced"): 4 / (2 * 1), 4 / (2 * 3).
  EXPECT_EQ(balanced_class_weights(set, kScheme), (std::vector<float>{2, 4.0F / 6}));
  EXPECT_EQ(balanced_class_weights(set, {.names = {"bad", "good", "none"}})[2], 1);
}

TEST(ClassWeights, AreReadByLabelInAnyOrder) {
  EXPECT_EQ(read_class_weights(table_of("label\tweight\ngood\t0.5\nbad\t3\n"), kScheme),
            (std::vector<float>{3, 0.5F}));
  EXPECT_EQ(
      read_class_weights(
          table_of("{\"weight\": 2, \"label\": \"bad\"}\n{\"weight\": 1, \"label\": \"good\"}\n",
                   TableFormat::kJsonLines),
          kScheme),
      (std::vector<float>{2, 1}));
}

TEST(ClassWeights, RefuseWhatIsNotOneWeightForEachLabel) {
  const auto failure = [](const std::string& rows) {
    const auto failed =
        failure_of([&] { read_class_weights(table_of("label\tweight\n" + rows), kScheme); });
    EXPECT_EQ(failed.code, ExitCode::kData) << failed.message;
    return failed.message;
  };
  EXPECT_EQ(failure("good\t1\n"),
            "standard input: the label \"bad\" has no weight; each of \"bad\", \"good\" needs a "
            "row");
  EXPECT_EQ(failure("good\t1\ngood\t2\n"),
            "standard input:3: the label \"good\" has a weight already");
  for (const char* weight : {"0", "-1", "many", "1e300", ""}) {
    EXPECT_NE(failure(std::string("good\t") + weight + "\n")
                  .find(":2: expected a weight, a number above 0, found \""),
              std::string::npos)
        << weight;
  }
  EXPECT_NE(failure("goood\t1\n").find("the label \"goood\" is not one"), std::string::npos);
  EXPECT_NE(failure_of([] {
              read_class_weights(table_of("label\tw\ngood\t1\n"), kScheme);
            }).message.find("there is no column \"weight\""),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
