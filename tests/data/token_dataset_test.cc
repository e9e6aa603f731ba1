#include "data/token_dataset.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::TemporaryDirectory;

// A tokenizer of the ten digits and a few words.
Tokenizer small_tokenizer() {
  const TemporaryDirectory directory;
  directory.write("vocab.txt",
                  "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nfilm\n##s\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"
                  "##0\n##1\n##2\n##3\n##4\n##5\n##6\n##7\n##8\n##9\n");
  directory.write("tokenizer_config.json",
                  "{\"tokenizer_class\": \"BertTokenizer\", \"do_lower_case\": true}");
  return Tokenizer::load(directory.path());
}

// Texts of different lengths, with a pair in every third.
ExampleSet numbered_examples(std::int64_t count) {
  ExampleSet set{.source = "train.tsv", .examples = {}};
  for (std::int64_t i = 0; i < count; ++i) {
    Example example{.text = "a film " + std::to_string(i),
                    .pair = {},
                    .label = static_cast<float>(i % 2),
                    .line = i + 2};
    for (std::int64_t word = 0; word < i % 7; ++word) example.text += " films";
    if (i % 3 == 0) example.pair = "pair " + std::to_string(i);
    set.examples.push_back(example);
  }
  return set;
}

TEST(TokenDataset, HoldsEveryExampleInOrderWhateverTheThreads) {
  const Tokenizer tokenizer = small_tokenizer();
  // Several blocks, the last of them not full.
  const ExampleSet set = numbered_examples(1000);
  ThreadPool one(1), three(3);
  const TokenDataset dataset = encode_examples(set, tokenizer, 16, three);
  ASSERT_EQ(dataset.size(), 1000);
  ASSERT_EQ(dataset.starts.size(), 1001);
  std::int64_t truncated = 0;
  for (std::size_t i = 0; i < set.examples.size(); ++i) {
    const Example& example = set.examples[i];
    std::optional<std::string_view> pair;
    if (example.pair) pair = *example.pair;
    const Encoding expected = tokenizer.encode(example.text, pair, 16);
    const auto begin = dataset.starts[i], end = dataset.starts[i + 1];
    ASSERT_EQ(std::vector(dataset.ids.begin() + begin, dataset.ids.begin() + end), expected.ids);
    ASSERT_EQ(std::vector(dataset.segments.begin() + begin, dataset.segments.begin() + end),
              expected.segments);
    EXPECT_EQ(dataset.labels[i], example.label);
    EXPECT_EQ(dataset.lines[i], example.line);
    truncated += expected.truncated ? 1 : 0;
  }
  EXPECT_GT(truncated, 0);
  EXPECT_LT(truncated, 1000);
  EXPECT_EQ(dataset.truncated, truncated);
  EXPECT_EQ(dataset.source, "train.tsv");

  const TokenDataset alone = encode_examples(set, tokenizer, 16, one);
  EXPECT_EQ(alone.ids, dataset.ids);
  EXPECT_EQ(alone.starts, dataset.starts);
  EXPECT_EQ(alone.truncated, dataset.truncated);
}

TEST(TokenDataset, MayBeEmpty) {
  ThreadPool pool(2);
  const TokenDataset dataset = encode_examples({}, small_tokenizer(), 16, pool);
  EXPECT_EQ(dataset.size(), 0);
  EXPECT_EQ(dataset.starts, std::vector<std::int64_t>{0});
}

}  // namespace
}  // namespace tandem
