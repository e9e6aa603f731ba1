#include "data/hold_out.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "data/labels.h"
#include "support/error_message.h"

namespace tandem {
namespace {

using testing::failure_of;

// Rows of class 0 and, each fourth, of class 1; the last one alone of class 2.
ExampleSet rows(std::int64_t count) {
  ExampleSet set{.source = "train.tsv", .examples = {}};
  for (std::int64_t i = 0; i < count; ++i) {
    const float label = i + 1 == count ? 2.0F : i % 4 == 0 ? 1.0F : 0.0F;
    set.examples.push_back({.text = "a", .pair = {}, .label = label, .line = i + 2});
  }
  return set;
}

const LabelScheme kScheme{.names = {"a", "b", "c"}};

std::vector<std::int64_t> lines_of(const ExampleSet& set) {
  std::vector<std::int64_t> lines;
  for (const Example& example : set.examples) lines.push_back(example.line);
  return lines;
}

TEST(HoldOut, TakesTheShareOfEachLabel) {
  const HeldOutRows parts = hold_out(rows(201), kScheme, {.share = 0.1});
  EXPECT_EQ(count_labels(parts.validation, kScheme), (std::vector<std::int64_t>{15, 5, 0}));
  EXPECT_EQ(count_labels(parts.training, kScheme), (std::vector<std::int64_t>{135, 45, 1}));
}

TEST(HoldOut, DividesAllRowsInTheirOrder) {
  const HeldOutRows parts = hold_out(rows(50), kScheme, {.share = 0.3});
  EXPECT_EQ(parts.validation.examples.size(), 15U);
  std::vector<std::int64_t> all = lines_of(parts.training);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  const std::vector<std::int64_t> held = lines_of(parts.validation);
  EXPECT_TRUE(std::ranges::is_sorted(held));
  all.insert(all.end(), held.begin(), held.end());
  std::ranges::sort(all);
  EXPECT_EQ(all, lines_of(rows(50)));
}

TEST(HoldOut, IsAFunctionOfTheSeed) {
  const auto held = [](std::uint64_t seed) {
    return lines_of(hold_out(rows(80), kScheme, {.share = 0.25, .seed = seed}).validation);
  };
  EXPECT_EQ(held(1), held(1));
  EXPECT_NE(held(1), held(2));
  EXPECT_NE(held(1), held(std::uint64_t{1} << 32 | 1));
}

TEST(HoldOut, TakesOneRowAtLeastAndLeavesALabelItsLast) {
  EXPECT_EQ(hold_out(rows(9), kScheme, {.share = 0.01}).validation.examples.size(), 1U);
  const auto failed = failure_of([] { hold_out(rows(1), kScheme, {}); });
  EXPECT_EQ(failed.code, ExitCode::kData);
  EXPECT_NE(failed.message.find("train.tsv: no rows can be held out of 1"), std::string::npos);
}

TEST(HoldOut, OfSeveralLabelsGoesByTheRarest) {
  const LabelScheme several{.kind = ProblemKind::kMultiLabel, .names = {"often", "seldom"}};
  ExampleSet set{.source = "train.jsonl", .examples = {}};
  for (std::int64_t i = 0; i < 100; ++i) {
    Example example{.text = "a", .pair = {}, .label = 0, .line = i + 1, .labels = {0}};
    if (i % 5 == 0) example.labels = {0, 1};
    set.examples.push_back(example);
  }
  const HeldOutRows parts = hold_out(set, several, {.share = 0.2});
  EXPECT_EQ(count_labels(parts.validation, several), (std::vector<std::int64_t>{20, 4}));
}

TEST(HoldOut, OfValuesTakesAnyRows) {
  ExampleSet set = rows(40);
  for (Example& example : set.examples) example.label = static_cast<float>(example.line) / 3;
  const HeldOutRows parts = hold_out(set, {.kind = ProblemKind::kRegression}, {.share = 0.5});
  EXPECT_EQ(parts.validation.examples.size(), 20U);
}

}  // namespace
}  // namespace tandem
