#include "data/packed_batch.h"

#include <cstddef>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace tandem {

PackedBatch pack(const TokenDataset& dataset, std::span<const std::uint32_t> examples) {
  std::int64_t tokens = 0;
  for (const std::uint32_t example : examples) {
    TANDEM_CHECK(example < dataset.sequences(), "sequence {} of {}", example, dataset.sequences());
    tokens += dataset.length(example);
  }
  TANDEM_CHECK(tokens <= std::numeric_limits<std::int32_t>::max(), "{} tokens in one batch",
               tokens);

  PackedBatch batch;
  batch.label_columns = dataset.label_columns;
  batch.examples.assign(examples.begin(), examples.end());
  batch.ids.reserve(static_cast<std::size_t>(tokens));
  batch.segments.reserve(static_cast<std::size_t>(tokens));
  batch.positions.reserve(static_cast<std::size_t>(tokens));
  batch.samples.reserve(static_cast<std::size_t>(tokens));
  batch.starts.push_back(0);
  batch.first_starts.resize(examples.size() + 1);
  std::iota(batch.first_starts.begin(), batch.first_starts.end(), 0);
  batch.first_positions.resize(examples.size());
  for (const std::uint32_t example : examples) {
    const std::int64_t begin = dataset.starts[example];
    const std::int64_t length = dataset.length(example);
    batch.ids.insert(batch.ids.end(), dataset.ids.begin() + begin,
                     dataset.ids.begin() + begin + length);
    batch.segments.insert(batch.segments.end(), dataset.segments.begin() + begin,
                          dataset.segments.begin() + begin + length);
    for (std::int32_t position = 0; position < length; ++position) {
      batch.positions.push_back(position);
    }
    batch.samples.insert(batch.samples.end(), static_cast<std::size_t>(length), example);
    batch.starts.push_back(static_cast<std::int32_t>(batch.ids.size()));
    const std::span<const float> labels = dataset.labels_of(dataset.example(example));
    batch.labels.insert(batch.labels.end(), labels.begin(), labels.end());
  }
  return batch;
}

}  // namespace tandem
