#include "report/scale_report.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/scale_page.h"
#include "report/step_parts.h"

namespace tandem {
namespace {

RankSpeed rank_of(const std::string& host, double whole) {
  return {.host = host,
          .threads = 1,
          .times = {.whole = whole,
                    .input = 0.01 * whole,
                    .compute = 0.8 * whole,
                    .exposed = 0.1 * whole,
                    .optimizer = 0.05 * whole,
                    .communication_cpu = 0.02 * whole,
                    .bytes_sent = 1e6 * whole},
          .waiting = 0.04 * whole};
}

// One host takes 4 s for 32 examples, two take 2.5 s; alone at the same time each takes 4.8 s.
ScaleReport sample_report() {
  const SpeedReport one{.ranks = {rank_of("h1", 4)},
                        .steps = 10,
                        .examples = 320,
                        .tokens = 10'000,
                        .batch_size = 32,
                        .train_loss = 0.5,
                        .evaluation = {}};
  SpeedReport two = one;
  two.ranks = {rank_of("h1", 2.5), rank_of("h2<script>&\"'", 2.5)};
  two.evaluation = {{"eval_f1", 0.75}};
  SpeedReport copy = one;
  copy.ranks = {rank_of("h1", 2.4)};
  copy.examples = 160;
  return {.job = "train --model 'a<b'",
          .launcher = "Open MPI 4.1.4",
          .hosts_share_a_machine = true,
          .rows = {{.nodes = 1, .cluster = one, .copies = {}},
                   {.nodes = 2, .cluster = two, .copies = {copy, copy}}}};
}

TEST(ScaleReport, Figures) {
  const ScaleReport report = sample_report();
  const ScaleFigures one = figures_of(report, report.rows[0]);
  EXPECT_DOUBLE_EQ(one.samples_per_second, 8);
  EXPECT_DOUBLE_EQ(one.speed_up, 1);
  EXPECT_FALSE(one.speed_up_over_copies);
  EXPECT_TRUE(one.metric.first.empty());
  const ScaleFigures two = figures_of(report, report.rows[1]);
  EXPECT_DOUBLE_EQ(two.samples_per_second, 12.8);
  EXPECT_DOUBLE_EQ(two.speed_up, 1.6);
  EXPECT_DOUBLE_EQ(two.efficiency, 0.8);
  // Each copy does 160 examples in 24 s.
  EXPECT_DOUBLE_EQ(two.speed_up_over_copies.value(), 2 * 12.8 / (2 * 160 / 24.0));
  EXPECT_NEAR(two.exposed, 0.1, 1e-12);
  EXPECT_NEAR(two.waiting, 0.04, 1e-12);
  EXPECT_NEAR(two.megabits_per_second, 8, 1e-9);
  EXPECT_EQ(two.metric.first, "eval_f1");
}

TEST(ScaleReport, PartsComeToTheWhole) {
  const RankSpeed rank = rank_of("h1", 2);
  double sum = 0;
  for (const StepPart& part : parts_of(rank)) sum += part.seconds;
  EXPECT_NEAR(sum, 2, 1e-12);
}

TEST(ScaleReport, JsonHasTheFigures) {
  const nlohmann::json object = nlohmann::json::parse(scale_json(sample_report()));
  EXPECT_EQ(object["runs"].size(), 2U);
  EXPECT_DOUBLE_EQ(object["runs"][1]["speed_up"], 1.6);
  EXPECT_TRUE(object["runs"][0]["speed_up_over_copies"].is_null());
  EXPECT_EQ(object["runs"][1]["evaluation"]["eval_f1"], 0.75);
  EXPECT_EQ(object["batch"], "fixed");
}

TEST(ScaleReport, TheTableSaysWhatEachCountReached) {
  const std::string table = scale_table(sample_report());
  EXPECT_NE(table.find("over copies"), table.npos);
  EXPECT_NE(table.find("1.600"), table.npos);
  EXPECT_NE(table.find("1.920"), table.npos);
  EXPECT_NE(table.find("eval_f1 0.7500"), table.npos);
  std::string remarks;
  for (const std::string& remark : remarks_of(sample_report())) remarks += remark;
  EXPECT_NE(remarks.find("32 examples an update, over all hosts"), remarks.npos);
  EXPECT_NE(remarks.find("share one machine"), remarks.npos);
  ScaleReport growing = sample_report();
  growing.keeps_per_device_batch = true;
  EXPECT_NE(remarks_of(growing).front().find("grows with the hosts"), std::string::npos);
}

TEST(ScalePage, EscapesWhatComesFromElsewhere) {
  const std::string page = scale_page(sample_report());
  EXPECT_EQ(page.find("<script"), page.npos);
  EXPECT_NE(page.find("h2&lt;script&gt;&amp;&quot;&#39;"), page.npos);
  EXPECT_NE(page.find("a&lt;b"), page.npos);
}

TEST(ScalePage, NeedsNothingFromElsewhere) {
  const std::string page = scale_page(sample_report());
  for (const char* const reference : {"http:", "https:", "src=", "url(", "@import", "<link"}) {
    EXPECT_EQ(page.find(reference), page.npos) << reference;
  }
  EXPECT_NE(page.find("prefers-color-scheme: dark"), page.npos);
  EXPECT_NE(page.find("class=\"ideal\""), page.npos);
}

TEST(ScalePage, HasNoNumberThatIsNone) {
  ScaleReport report = sample_report();
  report.rows[0].cluster.train_loss = std::numeric_limits<double>::quiet_NaN();
  report.rows[1].cluster.evaluation = {{"eval_f1", std::numeric_limits<double>::quiet_NaN()}};
  // Nothing measured at all: too few steps.
  report.rows[0].cluster.steps = report.rows[0].cluster.examples = 0;
  report.rows[0].cluster.ranks = {RankSpeed{}};
  for (const std::string& text : {scale_page(report), scale_json(report), scale_table(report)}) {
    for (const char* const none : {"nan", "inf%", "\"inf\"", ">inf", " inf"}) {
      EXPECT_EQ(text.find(none), text.npos) << none << " in\n" << text;
    }
  }
}

}  // namespace
}  // namespace tandem
