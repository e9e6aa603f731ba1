#include "train/named_schedule.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/error_message.h"
#include "support/golden.h"

namespace tandem {
namespace {

TEST(NamedSchedule, HasTheRatesOfTheReference) {
  const std::string text =
      read_file(testing::golden_path("schedules.json"), ExitCode::kData, 1 << 20);
  const nlohmann::json golden = nlohmann::json::parse(text);
  std::vector<std::string> names;
  for (const nlohmann::json& one : golden["cases"]) {
    names.push_back(one["name"].get<std::string>());
    SCOPED_TRACE(names.back() + " " + one["kwargs"].dump());
    const Schedule schedule{.peak = one["peak"].get<double>(),
                            .warmup_steps = one["warmup_steps"].get<std::int64_t>(),
                            .total_steps = one["total_steps"].get<std::int64_t>(),
                            .shape = named_schedule(names.back(), one["kwargs"].dump())};
    check_schedule(schedule);
    const auto rates = one["rates"].get<std::vector<double>>();
    ASSERT_GT(std::ssize(rates), schedule.total_steps);
    for (std::size_t step = 0; step < rates.size(); ++step) {
      // A few roundings of doubles, of the cosine above all.
      EXPECT_NEAR(schedule.at(static_cast<std::int64_t>(step)), rates[step], 1e-12 * schedule.peak)
          << "step " << step;
    }
  }
  for (const std::string& name : schedule_names()) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name << " isn't compared";
  }
}

TEST(NamedSchedule, RefusesWhatItDoesNotKnow) {
  const auto expect = [](const char* name, const char* kwargs, const char* text) {
    const testing::Failure failure = testing::failure_of([&] { named_schedule(name, kwargs); });
    EXPECT_EQ(failure.code, ExitCode::kUsage);
    EXPECT_NE(failure.message.find(text), std::string::npos) << failure.message;
  };
  expect("cosin", "",
         "--lr-scheduler-type cosin: there is no such schedule; did you mean "
         "\"cosine\"?; known are linear, cosine, ");
  expect("linear", R"({"power": 2})",
         "--lr-scheduler-kwargs: schedule linear takes none, found \"power\"");
  expect("cosine", R"({"num_cycle": 2})",
         "schedule cosine has no \"num_cycle\"; did you mean \"num_cycles\"?");
  expect("cosine", "num_cycles=2", "--lr-scheduler-kwargs");
  expect("cosine", R"({"num_cycles": "two"})",
         "--lr-scheduler-kwargs: num_cycles: expected a number from 0");
  expect("cosine", "[1]", "--lr-scheduler-kwargs");
  expect("warmup_stable_decay", "", "needs num_decay_steps");
  expect("warmup_stable_decay", R"({"num_decay_steps": 2, "decay_type": "steep"})",
         "decay_type: expected \"linear\", \"cosine\" or \"1-sqrt\"");
}

}  // namespace
}  // namespace tandem
