#include "base/nearest.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Nearest, FindsTheNameThatWasMeant) {
  const std::vector<std::string> columns = {"idx", "sentence1", "sentence2", "label"};
  EXPECT_EQ(nearest_name("lable", columns), "label");
  EXPECT_EQ(nearest_name("Label", columns), "label");
  EXPECT_EQ(nearest_name("sentence_2", columns), "sentence2");
  EXPECT_EQ(nearest_name("sentence", columns), "sentence1");
  const std::vector<std::string> tasks = {"mnli", "mrpc", "rte"};
  EXPECT_EQ(nearest_name("mrcp", tasks), "mrpc");
}

TEST(Nearest, SuggestsNothingThatIsFarOff) {
  const std::vector<std::string> names = {"a", "label", "", "sentence"};
  EXPECT_EQ(nearest_name("text", names), std::nullopt);
  EXPECT_EQ(nearest_name("b", names), std::nullopt);
  EXPECT_EQ(nearest_name("", names), std::nullopt);
  EXPECT_EQ(nearest_name("label", {}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(1 << 20, 'x'), names), std::nullopt);
}

TEST(Nearest, WritesTheEndOfAMessage) {
  const std::vector<std::string> names = {"label"};
  EXPECT_EQ(suggestion("labl", names), "; did you mean \"label\"?");
  EXPECT_EQ(suggestion("zebra", names), "");
}

}  // namespace
}  // namespace tandem
