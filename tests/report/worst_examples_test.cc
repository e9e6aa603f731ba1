#include "report/worst_examples.h"

#include <gtest/gtest.h>

#include "report/sample_sets.h"

namespace tandem {
namespace {

using Rows = std::vector<std::size_t>;

TEST(WorstExamples, TheLeastProbableRightClassComesFirst) {
  EXPECT_EQ(worst_predicted(testing::two_class_set(), 10), (Rows{4, 2}));
  EXPECT_EQ(worst_predicted(testing::two_class_set(), 1), (Rows{4}));
}

TEST(WorstExamples, OfValuesTheFurthestOffComesFirst) {
  EXPECT_EQ(worst_predicted(testing::regression_set(), 10), (Rows{2, 0}));
}

TEST(WorstExamples, OfSeveralLabelsTheLeastProbableTogetherComeFirst) {
  EXPECT_EQ(worst_predicted(testing::several_labels_set(), 10), (Rows{2, 1}));
  const std::string html = worst_examples(testing::several_labels_set());
  EXPECT_NE(html.find("<td class=\"name\">food <span class=\"soft\">0.2000</span></td>"
                      "<td class=\"name\">none</td>"),
            html.npos)
      << html;
}

TEST(WorstExamples, TextsAreEscapedAndShortened) {
  const std::string html = worst_examples(testing::two_class_set());
  EXPECT_EQ(html.find("<script"), html.npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(&#39;three&#39;)"), html.npos);
  EXPECT_NE(html.find("a&quot;b"), html.npos);
  EXPECT_NE(html.find(std::string(300, 'x') + "…<"), html.npos);
  EXPECT_EQ(html.find(std::string(301, 'x')), html.npos);
  EXPECT_NE(html.find("<td>4</td>"), html.npos) << "the line in the file";
}

TEST(WorstExamples, NoneIsSaid) {
  AnsweredSet set = testing::two_class_set();
  set.judged.predicted = set.judged.actual;
  EXPECT_NE(worst_examples(set).find("Every row was predicted right."), std::string::npos);
}

}  // namespace
}  // namespace tandem
