#pragma once
// Which learning rate, batch and number of epochs to try next: the search behind --autotune.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

struct Trial {
  double learning_rate;
  std::int64_t batch_size;
  double epochs;
};

// Successive halving (Jamieson and Talwalkar 2016) over the choices that BERT's authors recommend
// (Devlin et al. 2019, appendix A.3): rates 1e-5, 2e-5, 3e-5 and 5e-5 and batches of 16 and 32 for
// two epochs, the better half for three, the better half of these for four. Each trial trains from
// the start, because a schedule that ends later isn't a longer one. What usually is good comes
// first, and a time that doesn't suffice for all starts with fewer.
class LearningSearch {
 public:
  explicit LearningSearch(double seconds);

  // What to try now, after `spent` seconds; nothing when the search is over or the next trial would
  // take longer than is left. The first is always tried: how long one takes isn't known before.
  std::optional<Trial> next(double spent);
  // What became of it. `score` is better the higher it is; NaN is the worst.
  void add(const Trial& trial, double score, double seconds);

  // Whether time and not choices ended it.
  bool cut_short() const { return cut_short_; }

 private:
  struct Scored {
    Trial trial;
    double score;
  };
  std::size_t first_round_size() const;
  bool begin_next_round();

  double seconds_;
  double seconds_per_epoch_ = 0;  // the slowest trial's so far
  std::size_t round_ = 0;
  std::vector<Trial> waiting_;  // of this round, the next at the back
  std::vector<Scored> done_;    // of this round
  bool cut_short_ = false;
};

// "90s", "10m", "2h", or seconds. Throws UsageError.
double parse_duration(const std::string& text, const std::string& option);

}  // namespace tandem
