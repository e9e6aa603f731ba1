#pragma once
// What a run came to, as a page of HTML.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/answered_set.h"
#include "report/distributions.h"
#include "report/training_section.h"
#include "train/speed_report.h"
#include "train/training_curve.h"

namespace tandem {

struct RunReport {
  // Of training; absent where a model was only evaluated.
  struct Training {
    TrainingRows rows;
    TrainingCurve curve;
    std::vector<nlohmann::json> log;  // trainer_state.json's log_history, and the last evaluation
    Judgement judgement;
    SpeedReport speed;
  };

  std::string title;
  std::vector<AnsweredSet> sets;
  std::optional<Training> training;
  // Names and values, e.g. {"threads", "8"}.
  std::vector<std::pair<std::string, std::string>> machine;
  nlohmann::json arguments;  // an object
};

// One page that needs nothing else: no script, no other file. All that comes from files and command
// lines is escaped.
std::string run_page(const RunReport& report);

}  // namespace tandem
