#include "data/token_dataset.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tandem {
namespace {

// Examples that one task encodes: enough to outweigh handing it out, few enough to share evenly.
constexpr std::int64_t kBlockExamples = 256;

// The encodings of one block, end to end.
struct EncodedBlock {
  std::vector<std::int32_t> ids, segments;
  std::vector<std::int64_t> lengths;
  std::int64_t truncated = 0;
};

EncodedBlock encode_block(std::span<const Example> examples, const Tokenizer& tokenizer,
                          std::int64_t max_tokens) {
  EncodedBlock block;
  block.lengths.reserve(examples.size());
  for (const Example& example : examples) {
    std::optional<std::string_view> pair;
    if (example.pair) pair = *example.pair;
    const Encoding encoding = tokenizer.encode(example.text, pair, max_tokens);
    block.ids.insert(block.ids.end(), encoding.ids.begin(), encoding.ids.end());
    block.segments.insert(block.segments.end(), encoding.segments.begin(), encoding.segments.end());
    block.lengths.push_back(static_cast<std::int64_t>(encoding.ids.size()));
    block.truncated += encoding.truncated ? 1 : 0;
  }
  return block;
}

}  // namespace

// Blocks of a fixed size are encoded by whichever thread is free, and then joined in order.
TokenDataset encode_examples(const ExampleSet& examples, const Tokenizer& tokenizer,
                             std::int64_t max_tokens, ThreadPool& pool) {
  const std::span<const Example> all(examples.examples);
  const auto size = static_cast<std::int64_t>(all.size());
  const std::int64_t block_count = (size + kBlockExamples - 1) / kBlockExamples;
  std::vector<EncodedBlock> blocks(static_cast<std::size_t>(block_count));
  pool.run(block_count, [&](std::int64_t task, int) {
    const std::int64_t begin = task * kBlockExamples;
    const std::int64_t count = std::min(kBlockExamples, size - begin);
    blocks[static_cast<std::size_t>(task)] =
        encode_block(all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)),
                     tokenizer, max_tokens);
  });

  TokenDataset dataset;
  dataset.source = examples.source;
  dataset.starts.reserve(all.size() + 1);
  dataset.starts.push_back(0);
  std::size_t tokens = 0;
  for (const EncodedBlock& block : blocks) tokens += block.ids.size();
  dataset.ids.reserve(tokens);
  dataset.segments.reserve(tokens);
  for (EncodedBlock& block : blocks) {
    dataset.ids.insert(dataset.ids.end(), block.ids.begin(), block.ids.end());
    dataset.segments.insert(dataset.segments.end(), block.segments.begin(), block.segments.end());
    for (const std::int64_t length : block.lengths) {
      dataset.starts.push_back(dataset.starts.back() + length);
    }
    dataset.truncated += block.truncated;
    block = {};
  }
  for (const Example& example : all) {
    dataset.labels.push_back(example.label);
    dataset.lines.push_back(example.line);
  }
  return dataset;
}

}  // namespace tandem
