#include "cli/learning_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/printable.h"
#include "data/number.h"

namespace tandem {
namespace {

// What the rounds train for, and the choices in the order in which they usually turn out.
constexpr std::array<double, 3> kEpochs = {2, 3, 4};
constexpr std::array<Trial, 8> kChoices = {{{2e-5, 32, kEpochs[0]},
                                            {3e-5, 32, kEpochs[0]},
                                            {5e-5, 32, kEpochs[0]},
                                            {3e-5, 16, kEpochs[0]},
                                            {2e-5, 16, kEpochs[0]},
                                            {5e-5, 16, kEpochs[0]},
                                            {1e-5, 16, kEpochs[0]},
                                            {1e-5, 32, kEpochs[0]}}};

std::size_t half(std::size_t count) { return (count + 1) / 2; }

double epochs_of_search(std::size_t first_round) {
  double epochs = 0;
  std::size_t count = first_round;
  for (const double of_trial : kEpochs) {
    epochs += static_cast<double>(count) * of_trial;
    count = half(count);
  }
  return epochs;
}

}  // namespace

LearningSearch::LearningSearch(double seconds)
    : seconds_(seconds), waiting_(kChoices.rbegin(), kChoices.rend()) {}

std::optional<Trial> LearningSearch::next(double spent) {
  if (waiting_.empty() && !begin_next_round()) return std::nullopt;
  const Trial trial = waiting_.back();
  if (seconds_per_epoch_ * trial.epochs > seconds_ - spent && seconds_per_epoch_ > 0) {
    cut_short_ = true;
    return std::nullopt;
  }
  waiting_.pop_back();
  return trial;
}

void LearningSearch::add(const Trial& trial, double score, double seconds) {
  const bool first = seconds_per_epoch_ == 0;
  seconds_per_epoch_ = std::max(seconds_per_epoch_, seconds / trial.epochs);
  done_.push_back({trial, std::isnan(score) ? -std::numeric_limits<double>::infinity() : score});
  if (!first) return;
  // Now it's known how many trials there is time for.
  const std::size_t size = first_round_size();
  cut_short_ = size < kChoices.size();
  while (waiting_.size() + 1 > size) waiting_.erase(waiting_.begin());
}

std::size_t LearningSearch::first_round_size() const {
  std::size_t size = kChoices.size();
  while (size > 1 && epochs_of_search(size) * seconds_per_epoch_ > seconds_) --size;
  return size;
}

bool LearningSearch::begin_next_round() {
  ++round_;
  if (round_ >= kEpochs.size()) return false;
  std::ranges::stable_sort(done_, std::ranges::greater(), &Scored::score);
  done_.resize(half(done_.size()));
  for (const Scored& scored : done_) {
    Trial longer = scored.trial;
    longer.epochs = kEpochs[round_];
    waiting_.insert(waiting_.begin(), longer);
  }
  done_.clear();
  return true;
}

double parse_duration(const std::string& text, const std::string& option) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  double unit = 1;
  std::string number = text;
  if (!text.empty() && text.find_last_of("smh") == text.size() - 1) {
    unit = text.back() == 'h' ? kHour : text.back() == 'm' ? kMinute : 1;
    number.pop_back();
  }
  const std::optional<double> count = parse_number(number);
  if (!count || *count <= 0) {
    throw UsageError("{} {}: expected a time such as 90s, 10m or 2h", option, printable(text));
  }
  return *count * unit;
}

}  // namespace tandem
