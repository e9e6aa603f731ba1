#include "data/token_dataset.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/content_hash.h"

namespace tandem {
namespace {

// Examples that one task encodes: enough to outweigh handing it out, few enough to share evenly.
constexpr std::int64_t kBlockExamples = 256;

// The encodings of one block, end to end.
struct EncodedBlock {
  std::vector<std::int32_t> ids, segments;
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> pieces;  // of each example
  std::int64_t truncated = 0;
};

EncodedBlock encode_block(std::span<const Example> examples, const Tokenizer& tokenizer,
                          const EncodingLimits& limits) {
  EncodedBlock block;
  block.lengths.reserve(examples.size());
  for (const Example& example : examples) {
    std::optional<std::string_view> pair;
    if (example.pair) pair = *example.pair;
    const std::vector<Encoding> pieces =
        tokenizer.encode_pieces(example.text, pair, limits.max_tokens, limits.long_text);
    for (const Encoding& piece : pieces) {
      block.ids.insert(block.ids.end(), piece.ids.begin(), piece.ids.end());
      block.segments.insert(block.segments.end(), piece.segments.begin(), piece.segments.end());
      block.lengths.push_back(static_cast<std::int64_t>(piece.ids.size()));
    }
    block.pieces.push_back(std::ssize(pieces));
    block.truncated += pieces.front().truncated ? 1 : 0;
  }
  return block;
}

// One row of TokenDataset::labels.
void add_labels(const Example& example, std::int64_t columns, std::vector<float>& labels) {
  const std::size_t begin = labels.size();
  labels.resize(begin + static_cast<std::size_t>(columns), example.label);
  for (const std::int32_t id : example.labels) labels[begin + static_cast<std::size_t>(id)] = 1;
}

}  // namespace

// Blocks of a fixed size are encoded by whichever thread is free, and then joined in order.
TokenDataset encode_examples(const ExampleSet& examples, const Tokenizer& tokenizer,
                             const EncodingLimits& limits, ThreadPool& pool) {
  const std::span<const Example> all(examples.examples);
  const auto size = static_cast<std::int64_t>(all.size());
  const std::int64_t block_count = (size + kBlockExamples - 1) / kBlockExamples;
  std::vector<EncodedBlock> blocks(static_cast<std::size_t>(block_count));
  pool.run(block_count, [&](std::int64_t task, int) {
    const std::int64_t begin = task * kBlockExamples;
    const std::int64_t count = std::min(kBlockExamples, size - begin);
    blocks[static_cast<std::size_t>(task)] =
        encode_block(all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)),
                     tokenizer, limits);
  });

  TokenDataset dataset;
  dataset.source = examples.source;
  dataset.starts.reserve(all.size() + 1);
  dataset.starts.push_back(0);
  std::size_t tokens = 0;
  for (const EncodedBlock& block : blocks) tokens += block.ids.size();
  dataset.ids.reserve(tokens);
  dataset.segments.reserve(tokens);
  std::uint32_t example = 0;
  for (EncodedBlock& block : blocks) {
    dataset.ids.insert(dataset.ids.end(), block.ids.begin(), block.ids.end());
    dataset.segments.insert(dataset.segments.end(), block.segments.begin(), block.segments.end());
    for (const std::int64_t length : block.lengths) {
      dataset.starts.push_back(dataset.starts.back() + length);
    }
    for (const std::int64_t pieces : block.pieces) {
      dataset.example_of.insert(dataset.example_of.end(), static_cast<std::size_t>(pieces),
                                example);
      ++example;
    }
    dataset.truncated += block.truncated;
    block = {};
  }
  if (dataset.example_of.size() == all.size()) dataset.example_of.clear();
  dataset.label_columns = examples.label_columns;
  for (const Example& labelled : all) {
    add_labels(labelled, dataset.label_columns, dataset.labels);
    dataset.lines.push_back(labelled.line);
  }
  return dataset;
}

std::string hash_of(const TokenDataset& dataset) {
  ContentHash hash;
  const auto add = [&](const auto& values) { hash.add(std::as_bytes(std::span(values))); };
  add(dataset.ids);
  add(dataset.segments);
  add(dataset.starts);
  add(dataset.labels);
  add(dataset.example_of);
  return hash.text();
}

}  // namespace tandem
