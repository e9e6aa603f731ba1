#pragma once
// A data set as the model sees it: token ids end to end, encoded once for the whole run.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/thread.h"
#include "data/example.h"
#include "text/long_text.h"
#include "text/tokenizer.h"

namespace tandem {

// N examples in M sequences of together S tokens: one each, unless long texts are read in windows.
// Immutable once made.
struct TokenDataset {
  std::vector<std::int32_t> ids;       // [S]
  std::vector<std::int32_t> segments;  // [S]
  std::vector<std::int64_t> starts;    // [M + 1], starts[0] == 0, starts[M] == S
  // [M]: the example that a sequence is a piece of, ascending; empty where each is one whole.
  std::vector<std::uint32_t> example_of = {};
  // [N, label_columns]: class id or value; with several labels at once 1 for those that the example
  // has and 0 for the others; NaN without a label.
  std::vector<float> labels;
  std::int64_t label_columns = 1;
  std::vector<std::int64_t> lines;  // [N]: line in `source` where the example starts, from 1
  std::string source;               // the file, for messages
  std::int64_t truncated = 0;       // how many examples are longer than a sequence may be

  std::int64_t size() const { return static_cast<std::int64_t>(lines.size()); }
  std::int64_t sequences() const { return static_cast<std::int64_t>(starts.size()) - 1; }
  std::int64_t length(std::int64_t sequence) const {
    return starts[static_cast<std::size_t>(sequence) + 1] -
           starts[static_cast<std::size_t>(sequence)];
  }
  std::int64_t example(std::int64_t sequence) const {
    return example_of.empty() ? sequence : example_of[static_cast<std::size_t>(sequence)];
  }
  // The labels of one example, label_columns of them.
  std::span<const float> labels_of(std::int64_t example) const {
    return std::span(labels).subspan(static_cast<std::size_t>(example * label_columns),
                                     static_cast<std::size_t>(label_columns));
  }
};

// Of all that training sees of it: equal for the same rows, encoded alike.
std::string hash_of(const TokenDataset& dataset);

struct EncodingLimits {
  std::int64_t max_tokens = 128;
  LongText long_text = LongText::kHead;
};

// Encodes every example on all threads of the pool, in order.
TokenDataset encode_examples(const ExampleSet& examples, const Tokenizer& tokenizer,
                             const EncodingLimits& limits, ThreadPool& pool);

}  // namespace tandem
