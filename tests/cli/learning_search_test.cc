#include "cli/learning_search.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

struct Outcome {
  std::vector<Trial> trials;
  double spent = 0;
  bool cut_short = false;
};

// Trials that take `per_epoch` seconds for each epoch.
Outcome search(double seconds, double per_epoch, const std::function<double(const Trial&)>& score) {
  LearningSearch search(seconds);
  Outcome outcome;
  while (const std::optional<Trial> trial = search.next(outcome.spent)) {
    const double took = per_epoch * trial->epochs;
    outcome.spent += took;
    search.add(*trial, score(*trial), took);
    outcome.trials.push_back(*trial);
  }
  outcome.cut_short = search.cut_short();
  return outcome;
}

std::int64_t count(const Outcome& outcome, double epochs) {
  return std::ranges::count(outcome.trials, epochs, &Trial::epochs);
}

TEST(LearningSearch, HalvesWhatItTriesForLonger) {
  const Outcome outcome = search(1e6, 1, [](const Trial& trial) {
    return trial.learning_rate == 1e-5 ? 0.9 : 0.1 + trial.learning_rate;
  });
  EXPECT_EQ(count(outcome, 2), 8);
  EXPECT_EQ(count(outcome, 3), 4);
  EXPECT_EQ(count(outcome, 4), 2);
  EXPECT_EQ(outcome.spent, 36);
  EXPECT_FALSE(outcome.cut_short);
  for (std::size_t i = 12; i < 14; ++i) EXPECT_EQ(outcome.trials[i].learning_rate, 1e-5);
}

TEST(LearningSearch, StartsWithFewerWhenTimeIsShort) {
  const auto alike = [](const Trial&) { return 0.5; };
  const Outcome outcome = search(20, 1, alike);
  EXPECT_TRUE(outcome.cut_short);
  EXPECT_LE(outcome.spent, 20);
  EXPECT_GE(count(outcome, 4), 1) << "the best is trained for all four epochs as well";
  EXPECT_EQ(outcome.trials[0].learning_rate, 2e-5) << "what is usually good comes first";
  EXPECT_EQ(outcome.trials[0].batch_size, 32);
}

TEST(LearningSearch, TriesOneHoweverShortTheTime) {
  const Outcome outcome = search(1, 100, [](const Trial&) { return 0.5; });
  EXPECT_EQ(outcome.trials.size(), 1U);
  EXPECT_TRUE(outcome.cut_short);
}

TEST(LearningSearch, DropsTrialsThatHaveNoScore) {
  const Outcome outcome = search(
      1e6, 1, [](const Trial& trial) { return trial.batch_size == 32 ? std::nan("") : 0.1; });
  for (std::size_t i = 8; i < outcome.trials.size(); ++i) {
    EXPECT_EQ(outcome.trials[i].batch_size, 16) << i;
  }
}

TEST(LearningSearch, ReadsTimes) {
  EXPECT_EQ(parse_duration("90s", "--autotune"), 90);
  EXPECT_EQ(parse_duration("1.5m", "--autotune"), 90);
  EXPECT_EQ(parse_duration("2h", "--autotune"), 7200);
  EXPECT_EQ(parse_duration("600", "--autotune"), 600);
  for (const char* const text : {"", "m", "10 m", "-5m", "0", "10d", "nan"}) {
    EXPECT_EQ(testing::failure_of([&] { parse_duration(text, "--autotune"); }).code,
              ExitCode::kUsage)
        << text;
  }
}

}  // namespace
}  // namespace tandem
