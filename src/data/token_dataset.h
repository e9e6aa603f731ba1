#pragma once
// A data set as the model sees it: token ids end to end, encoded once for the whole run.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/thread.h"
#include "data/example.h"
#include "text/tokenizer.h"

namespace tandem {

// N sequences of together S tokens. Immutable once made.
struct TokenDataset {
  std::vector<std::int32_t> ids;       // [S]
  std::vector<std::int32_t> segments;  // [S]
  std::vector<std::int64_t> starts;    // [N + 1], starts[0] == 0, starts[N] == S
  std::vector<float> labels;           // [N, label_columns]: class id or value; NaN without a label
  std::int64_t label_columns = 1;
  std::vector<std::int64_t> lines;  // [N]: line in `source` where the example starts, from 1
  std::string source;               // the file, for messages
  std::int64_t truncated = 0;       // how many texts were cut

  std::int64_t size() const { return static_cast<std::int64_t>(lines.size()); }
  std::int64_t length(std::int64_t example) const {
    return starts[static_cast<std::size_t>(example) + 1] -
           starts[static_cast<std::size_t>(example)];
  }
};

// Encodes every example on all threads of the pool, in order.
TokenDataset encode_examples(const ExampleSet& examples, const Tokenizer& tokenizer,
                             std::int64_t max_tokens, ThreadPool& pool);

}  // namespace tandem
