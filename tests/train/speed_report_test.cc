#include "train/speed_report.h"

#include <limits>
#include <mutex>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/thread_ranks.h"

namespace tandem {
namespace {

using testing::failure_of;

StepTimes step_of(double compute, double exposed) {
  return {.whole = compute + exposed + 1,
          .input = 0.25,
          .compute = compute,
          .exposed = exposed,
          .optimizer = 0.5,
          .until_ready = compute + 0.75,
          .communication_cpu = 0.125,
          .bytes_sent = 1000};
}

SpeedReport sample_report() {
  const std::vector<std::vector<StepTimes>> steps = {{step_of(2, 1), step_of(4, 1)},
                                                     {step_of(3, 0.5), step_of(2, 3)}};
  SpeedReport report{.ranks = mean_speeds(steps),
                     .steps = 2,
                     .examples = 64,
                     .tokens = 3000,
                     .batch_size = 32,
                     .train_loss = 0.5,
                     .evaluation = {{"eval_f1", 0.75}, {"eval_accuracy", 0.5}}};
  report.ranks[0].host = "h1";
  report.ranks[1].host = "h2";
  report.ranks[1].threads = 2;
  return report;
}

TEST(SpeedReport, MeansAndWhatRanksWaitedForEachOther) {
  const SpeedReport report = sample_report();
  EXPECT_DOUBLE_EQ(report.ranks[0].times.compute, 3);
  EXPECT_DOUBLE_EQ(report.ranks[0].times.exposed, 1);
  EXPECT_DOUBLE_EQ(report.ranks[0].times.bytes_sent, 1000);
  // The first step waits 1 for the other rank, the second for none.
  EXPECT_DOUBLE_EQ(report.ranks[0].waiting, 0.5);
  // The other way round, 2 of 3 seconds.
  EXPECT_DOUBLE_EQ(report.ranks[1].waiting, 1);
  EXPECT_DOUBLE_EQ(report.seconds_per_step(), 5);
  EXPECT_DOUBLE_EQ(report.samples_per_second(), 6.4);
}

TEST(SpeedReport, WaitingIsNoMoreThanWhatWasExposed) {
  const std::vector<std::vector<StepTimes>> steps = {{step_of(2, 0.25)}, {step_of(9, 0)}};
  EXPECT_DOUBLE_EQ(mean_speeds(steps)[0].waiting, 0.25);
}

TEST(SpeedReport, NoStepsAreZeros) {
  SpeedRecord record;
  for (int i = 0; i < 3; ++i) record.add(step_of(1, 1), 8, 100);
  EXPECT_EQ(record.steps().size(), 0U) << "the first steps are left out";
  EXPECT_EQ(record.examples(), 0);
  const SpeedReport report{.ranks = gather_speeds(nullptr, record, "h1", 2), .evaluation = {}};
  EXPECT_EQ(report.samples_per_second(), 0);
  EXPECT_EQ(report.ranks.front().host, "h1");
}

TEST(SpeedReport, EveryRankHasTheSame) {
  std::mutex mutex;
  run_ranks(2, [&](Communicator& communicator) {
    const bool slow = communicator.rank() == 1;
    SpeedRecord record;
    for (int i = 0; i < 5; ++i) record.add(step_of(slow ? 3 : 2, 1), 8, 100);
    const auto speeds = gather_speeds(&communicator, record, slow ? "h2" : "h1", slow ? 2 : 1);
    const std::lock_guard lock(mutex);
    EXPECT_EQ(record.examples(), 16);
    ASSERT_EQ(speeds.size(), 2U);
    EXPECT_EQ(speeds[1].host, "h2");
    EXPECT_EQ(speeds[1].threads, 2);
    EXPECT_DOUBLE_EQ(speeds[0].waiting, 1);
    EXPECT_DOUBLE_EQ(speeds[1].waiting, 0);
  });
}

TEST(SpeedReport, ComesBackFromItsFile) {
  const SpeedReport report = sample_report();
  const SpeedReport back = parse_speed_report(speed_report_json(report), "speed.json");
  EXPECT_EQ(back.evaluation, report.evaluation) << "in their order";
  EXPECT_EQ(back.ranks.size(), 2U);
  EXPECT_EQ(back.ranks[1].host, "h2");
  EXPECT_EQ(back.ranks[1].threads, 2);
  EXPECT_DOUBLE_EQ(back.ranks[1].waiting, 1);
  EXPECT_DOUBLE_EQ(back.ranks[0].times.until_ready, report.ranks[0].times.until_ready);
  EXPECT_DOUBLE_EQ(back.samples_per_second(), 6.4);
}

TEST(SpeedReport, ANumberThatIsNotFiniteIsNull) {
  SpeedReport report = sample_report();
  report.train_loss = std::numeric_limits<double>::quiet_NaN();
  report.evaluation.front().second = std::numeric_limits<double>::infinity();
  const std::string text = speed_report_json(report);
  EXPECT_EQ(text.find("nan"), text.npos);
  EXPECT_EQ(text.find("inf"), text.npos);
  const SpeedReport back = parse_speed_report(text, "speed.json");
  ASSERT_EQ(back.evaluation.size(), 1U);
  EXPECT_EQ(back.evaluation.front().first, "eval_accuracy");
}

TEST(SpeedReport, SomethingElseIsAnErrorThatNamesItsPlace) {
  for (const char* const text : {"", "[]", "{}", R"({"steps": -1})", "{\"steps\": 1"}) {
    const std::string message =
        failure_of([&] { parse_speed_report(text, "h1:/runs/speed.json"); }).message;
    EXPECT_TRUE(message.starts_with("h1:/runs/speed.json:")) << message;
  }
  std::string no_ranks = speed_report_json({.ranks = {}, .evaluation = {}});
  EXPECT_NE(failure_of([&] { parse_speed_report(no_ranks, "r"); }).message.find("names no rank"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
