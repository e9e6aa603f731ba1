#include "report/run_page.h"

#include <limits>

#include <gtest/gtest.h>

#include "report/sample_sets.h"

namespace tandem {
namespace {

void expect_whole(const std::string& page) {
  EXPECT_TRUE(page.ends_with("</body></html>\n"));
  for (const char* const reference :
       {"http:", "https:", "src=", "url(", "@import", "<link", "<script"}) {
    EXPECT_EQ(page.find(reference), page.npos) << reference;
  }
  for (const char* const none : {"nan", "inf\"", ">inf", " inf", "-0.0000"}) {
    EXPECT_EQ(page.find(none), page.npos) << none << " in\n" << page;
  }
}

RunReport report_of(AnsweredSet set) {
  return {.title = "model",
          .sets = {std::move(set)},
          .training = {},
          .machine = {{"processor", "A<B>"}},
          .arguments = {{"data", "<rows>"}, {"batch_size", 8}}};
}

TEST(RunPage, OfAClassifier) {
  const std::string page = run_page(report_of(testing::two_class_set()));
  expect_whole(page);
  for (const char* const part :
       {"Evaluation on rows&lt;1&gt;.tsv", "<b>0.6000</b><span class=\"soft\">accuracy</span>",
        "Confusion matrix", "bad &amp; ugly", "macro average", "Calibration, ECE 0.",
        "average precision 0.", "ROC, area 0.", "Labels and lengths", "Worst predictions",
        "A&lt;B&gt;", "&lt;rows&gt;"}) {
    EXPECT_NE(page.find(part), page.npos) << part;
  }
  EXPECT_EQ(page.find("<h2>Training"), page.npos);
}

TEST(RunPage, OfValues) {
  const std::string page = run_page(report_of(testing::regression_set()));
  expect_whole(page);
  // Differences 0.5, 0 and -1.5.
  EXPECT_NE(page.find("Root mean squared error 0.9129, mean absolute error 0.6667"), page.npos);
  EXPECT_NE(page.find("Residuals"), page.npos);
  EXPECT_EQ(page.find("Confusion"), page.npos);
}

TEST(RunPage, OfSeveralLabelsAtOnce) {
  const std::string page = run_page(report_of(testing::several_labels_set()));
  expect_whole(page);
  // Two of three labels that rows have are found, and two of three found ones are right.
  for (const char* const part :
       {"<td class=\"name\">micro average</td><td>0.6667</td><td>0.6667</td><td>0.6667</td>"
        "<td>3</td>",
        "<td class=\"name\">film &amp; tv</td><td>1.0000</td><td>1.0000</td><td>1.0000</td>"
        "<td>1</td>",
        "Labels in evaluation", "Calibration, ECE 0.", "Worst predictions"}) {
    EXPECT_NE(page.find(part), page.npos) << part << " in\n" << page;
  }
  EXPECT_EQ(page.find("Confusion"), page.npos);
}

TEST(RunPage, OfRowsThatAreAllOfOneClass) {
  AnsweredSet set = testing::two_class_set();
  set.judged.actual = {1, 1, 1, 1, 1};
  const std::string page = run_page(report_of(set));
  expect_whole(page);
  EXPECT_NE(page.find("All rows have one label"), page.npos);
}

TEST(RunPage, OfValuesThatAreAllAlike) {
  AnsweredSet set = testing::regression_set();
  set.judged.actual = set.judged.predicted = {2, 2, 2};
  expect_whole(run_page(report_of(set)));
}

TEST(RunPage, OfManyClassesHasNoMatrix) {
  AnsweredSet set = testing::two_class_set();
  set.labels.names.clear();
  for (int k = 0; k < 40; ++k) set.labels.names.push_back("label" + std::to_string(k));
  set.answers.assign(5 * 40, 1.0 / 40);
  set.judged.classes = 40;
  set.judged.actual = {0, 39, 1, 1, 1};
  set.judged.predicted = {0, 1, 39, 39, 2};
  const std::string page = run_page(report_of(set));
  expect_whole(page);
  EXPECT_EQ(page.find("Confusion matrix"), page.npos);
  EXPECT_NE(page.find("<td class=\"name\">label1</td><td class=\"name\">label39</td><td>2</td>"
                      "<td>66.7%</td>"),
            page.npos);
  EXPECT_EQ(page.find("ROC"), page.npos);
}

TEST(RunPage, OfTraining) {
  RunReport report = report_of(testing::two_class_set());
  TrainingCurve curve;
  curve.add({.step = 1, .loss = 0.7, .gradient_norm = 1, .learning_rate = 1e-5});
  SpeedReport speed{.ranks = {{.host = "h<1>",
                               .threads = 2,
                               .times = {.whole = 2, .input = 0.1, .compute = 1.8},
                               .waiting = 0}},
                    .steps = 10,
                    .examples = 80,
                    .tokens = 4000,
                    .batch_size = 8,
                    .train_loss = 0.5,
                    .evaluation = {}};
  RunReport::Training& training = report.training.emplace();
  training.rows = {.source = "train.tsv", .labels = {0, 1, 1}, .lengths = {5, 6, 7}};
  training.curve = curve;
  training.log = {{{"step", 1}, {"epoch", 1.0}, {"eval_loss", 0.5}, {"eval_f1", 0.5}}};
  training.judgement.key = "eval_f1";
  training.speed = speed;
  std::string page = run_page(report);
  expect_whole(page);
  for (const char* const part : {"<h2>Training", "<figcaption>Loss", "f1 by evaluation",
                                 "2 s a step, 4.00 examples and 200 "
                                 "tokens a second",
                                 "h&lt;1&gt;, 2 threads: input 5.0% compute 90.0% other 5.0%",
                                 "Lengths in training", "2 <span class=\"soft\">66.7%"}) {
    EXPECT_NE(page.find(part), page.npos) << part << " in\n" << page;
  }
  // Too few steps to measure.
  report.training->speed.steps = 0;
  page = run_page(report);
  expect_whole(page);
  EXPECT_EQ(page.find("<h2>Time"), page.npos);
}

}  // namespace
}  // namespace tandem
