#include "data/hold_out.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/philox.h"
#include "data/labels.h"

namespace tandem {
namespace {

// Sets these numbers apart from all others that are drawn with the run's seed as their key.
constexpr std::uint32_t kPurpose = 0x686F6C64;  // "hold"

// Rows that are divided together, numbered as in the file.
using Stratum = std::vector<std::size_t>;

std::size_t stratum_of(const Example& example, const LabelScheme& scheme,
                       const std::vector<std::int64_t>& counts) {
  if (scheme.kind == ProblemKind::kRegression) return 0;
  if (scheme.kind == ProblemKind::kSingleLabel) return static_cast<std::size_t>(example.label);
  if (example.labels.empty()) return counts.size();
  const auto rarest = std::ranges::min_element(
      example.labels, {}, [&](std::int32_t id) { return counts[static_cast<std::size_t>(id)]; });
  return static_cast<std::size_t>(*rarest);
}

std::vector<Stratum> strata_of(const ExampleSet& set, const LabelScheme& scheme) {
  const std::vector<std::int64_t> counts = count_labels(set, scheme);
  std::vector<Stratum> strata(counts.size() + 1);
  for (std::size_t i = 0; i < set.examples.size(); ++i) {
    strata[stratum_of(set.examples[i], scheme, counts)].push_back(i);
  }
  return strata;
}

// How many rows are taken of each stratum: the whole part of its share, and one more for those with
// the largest fractions until there are enough.
std::vector<std::size_t> rows_to_take(const std::vector<Stratum>& strata, double share,
                                      std::size_t wanted) {
  std::vector<std::size_t> taken(strata.size());
  std::vector<double> fractions(strata.size());
  std::size_t total = 0;
  for (std::size_t s = 0; s < strata.size(); ++s) {
    const double exact = share * static_cast<double>(strata[s].size());
    taken[s] = static_cast<std::size_t>(exact);
    fractions[s] = exact - std::floor(exact);
    total += taken[s];
  }
  std::vector<std::size_t> order(strata.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t s) { return fractions[s]; });
  for (const std::size_t s : order) {
    if (total >= wanted) break;
    if (taken[s] + 1 >= strata[s].size()) continue;
    ++taken[s];
    ++total;
  }
  return taken;
}

// In an order that the seed and the rows' numbers decide.
void shuffle(Stratum& stratum, std::uint64_t seed) {
  const auto key = [seed](std::size_t row) {
    return philox4x32(
        {static_cast<std::uint32_t>(row), 0, 0, kPurpose},
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)})[0];
  };
  std::ranges::stable_sort(stratum, {}, key);
}

ExampleSet without_examples(const ExampleSet& set) {
  ExampleSet empty = set;
  empty.examples.clear();
  empty.empty_texts = 0;
  return empty;
}

}  // namespace

HeldOutRows hold_out(ExampleSet examples, const LabelScheme& labels,
                     const HoldOutOptions& options) {
  const std::size_t rows = examples.examples.size();
  const auto wanted = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::llround(options.share * static_cast<double>(rows))));
  std::vector<Stratum> strata = strata_of(examples, labels);
  const std::vector<std::size_t> taken = rows_to_take(strata, options.share, wanted);
  std::vector<bool> for_validation(rows);
  for (std::size_t s = 0; s < strata.size(); ++s) {
    shuffle(strata[s], options.seed);
    for (std::size_t i = 0; i < taken[s]; ++i) for_validation[strata[s][i]] = true;
  }
  HeldOutRows parts{without_examples(examples), without_examples(examples)};
  for (std::size_t i = 0; i < rows; ++i) {
    Example& example = examples.examples[i];
    ExampleSet& part = for_validation[i] ? parts.validation : parts.training;
    if (example.text.empty() || (example.pair && example.pair->empty())) ++part.empty_texts;
    part.examples.push_back(std::move(example));
  }
  parts.validation.skipped_rows = 0;
  if (parts.validation.examples.empty()) {
    throw DataError(
        "{}: no rows can be held out of {}: each label needs at least two; give --validation-file "
        "or more rows",
        examples.source, rows);
  }
  return parts;
}

}  // namespace tandem
