#pragma once
// A batch without padding: the tokens of B sequences end to end.

#include <cstdint>
#include <span>
#include <vector>

#include "data/token_dataset.h"

namespace tandem {

// T tokens of B sequences. Sequence b is tokens [starts[b], starts[b + 1]).
struct PackedBatch {
  std::vector<std::int32_t> ids;        // [T]
  std::vector<std::int32_t> positions;  // [T], from 0 in each sequence
  std::vector<std::int32_t> segments;   // [T]
  std::vector<std::int32_t> starts;     // [B + 1], starts[B] == T
  std::vector<float> labels;            // [B, label_columns]
  std::vector<std::uint32_t> examples;  // [B]: index of the sequence in the data set
  std::vector<std::uint32_t> samples;   // [T]: examples, by token; keys the random numbers
  // Of matrices that have a row for each sequence's first token only.
  std::vector<std::int32_t> first_starts;     // [B + 1]: 0 to B
  std::vector<std::int32_t> first_positions;  // [B]: 0
  std::int64_t label_columns = 1;

  std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
  std::int64_t sequences() const { return static_cast<std::int64_t>(examples.size()); }
};

// `examples` are indices of sequences: of examples, where each is one sequence.
PackedBatch pack(const TokenDataset& dataset, std::span<const std::uint32_t> examples);

}  // namespace tandem
