#pragma once
// The results of several trainings side by side.

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "train/results.h"

namespace tandem {

struct SeriesRow {
  std::vector<std::pair<std::string, std::string>> settings;  // {"seed", "42"}
  Results results;
  std::string directory = {};  // where its model is; empty: gone
};

struct SeriesSummary {
  Results mean;
  Results standard_deviation;  // of the sample: divided by runs - 1; empty for one run
};

// Over all rows, which have the same results; what tells of speed is left out.
SeriesSummary summary_of(const std::vector<SeriesRow>& rows);

// A line for each row under the names of settings and results, the best marked with "*".
std::string series_table(const std::vector<SeriesRow>& rows, std::size_t best);
// "mean 0.8431 +- 0.0112" for each result, below such a table.
std::string summary_lines(const SeriesSummary& summary);

// All rows with all of their results.
nlohmann::json series_json(const std::vector<SeriesRow>& rows);

}  // namespace tandem
