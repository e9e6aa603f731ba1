#include "train/evaluation_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace tandem {
namespace {

// Numbers of different lengths stand below each other.
constexpr std::size_t kLeastWidth = 6;

std::string line_of(const std::vector<std::string>& cells, const std::vector<std::string>& titles) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += fmt::format("{}{:>{}}", i == 0 ? "" : "  ", cells[i],
                        std::max(titles[i].size(), kLeastWidth));
  }
  return line;
}

}  // namespace

std::string EvaluationTable::add(const EvaluationRow& row) {
  std::vector<std::string> titles = {"step", "epoch", "train_loss"};
  std::vector<std::string> cells = {fmt::format("{}", row.step), fmt::format("{:.2f}", row.epoch),
                                    fmt::format("{:.4f}", row.train_loss)};
  for (const auto& [name, value] : row.results) {
    if (is_speed(name)) continue;
    titles.push_back(name);
    cells.push_back(fmt::format("{:.4f}", value));
  }
  std::string text;
  if (titles != titles_) text = line_of(titles, titles) + "\n";
  titles_ = std::move(titles);
  text += line_of(cells, titles_);
  if (row.best) text += "  best so far";
  return text;
}

}  // namespace tandem
