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
  const TokenDataset dataset = encode_examples(set, tokenizer, {.max_tokens = 16}, three);
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

  const TokenDataset alone = encode_examples(set, tokenizer, {.max_tokens = 16}, one);
  EXPECT_EQ(alone.ids, dataset.ids);
  EXPECT_EQ(alone.starts, dataset.starts);
  EXPECT_EQ(alone.truncated, dataset.truncated);
}

TEST(TokenDataset, MayBeEmpty) {
  ThreadPool pool(2);
  const TokenDataset dataset = encode_examples({}, small_tokenizer(), {.max_tokens = 16}, pool);
  EXPECT_EQ(dataset.size(), 0);
  EXPECT_EQ(dataset.starts, std::vector<std::int64_t>{0});
}

TEST(TokenDataset, DividesLongTextsIntoPieces) {
  ExampleSet set{.source = "train.tsv", .examples = {}};
  for (const char* text : {"0 1 2", "0 1 2 3 4 5 6 7 8 9", "a"}) {
    set.examples.push_back({.text = text, .pair = {}, .label = 1, .line = 2});
  }
  ThreadPool pool(1);
  const Tokenizer tokenizer = small_tokenizer();
  const TokenDataset dataset =
      encode_examples(set, tokenizer, {.max_tokens = 6, .long_text = LongText::kWindow}, pool);
  EXPECT_EQ(dataset.size(), 3);
  EXPECT_EQ(dataset.example_of, (std::vector<std::uint32_t>{0, 1, 1, 1, 2}));
  EXPECT_EQ(dataset.sequences(), 5);
  EXPECT_EQ(dataset.labels.size(), 3U);
  EXPECT_EQ(dataset.truncated, 1);
  EXPECT_EQ(dataset.example(3), 1);
  // [CLS] 3 4 5 6 [SEP]
  EXPECT_EQ(
      std::vector(dataset.ids.begin() + dataset.starts[2], dataset.ids.begin() + dataset.starts[3]),
      (std::vector<std::int32_t>{2, 11, 12, 13, 14, 3}));
  const TokenDataset tail =
      encode_examples(set, tokenizer, {.max_tokens = 6, .long_text = LongText::kTail}, pool);
  EXPECT_TRUE(tail.example_of.empty());
  EXPECT_EQ(tail.ids[static_cast<std::size_t>(tail.starts[1]) + 1], 14);
}

TEST(TokenDataset, HasAColumnForEachOfSeveralLabels) {
  ExampleSet set{.source = "train.tsv", .examples = {}, .label_columns = 3};
  set.examples.push_back({.text = "a", .pair = {}, .label = 0, .line = 2, .labels = {0, 2}});
  set.examples.push_back({.text = "a", .pair = {}, .label = 0, .line = 3});
  ThreadPool pool(1);
  const TokenDataset dataset = encode_examples(set, small_tokenizer(), {}, pool);
  EXPECT_EQ(dataset.labels, (std::vector<float>{1, 0, 1, 0, 0, 0}));
  EXPECT_EQ(dataset.labels_of(0)[2], 1);
}

}  // namespace
}  // namespace tandem
