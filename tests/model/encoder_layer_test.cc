#include "model/encoder_layer.h"

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

constexpr std::int64_t kWidth = 16, kTokens = 13, kSequences = 3;

// One layer's parameters, with a dropout of a quarter.
struct Model {
  Model() : params(add_bert_params(table, config, 2)), values(table) {}
  BertConfig config = {.vocab_size = 5,
                       .hidden_size = kWidth,
                       .num_hidden_layers = 1,
                       .num_attention_heads = 2,
                       .intermediate_size = 40,
                       .max_position_embeddings = 8,
                       .hidden_dropout_prob = 0.25F,
                       .attention_probs_dropout_prob = 0.25F};
  ParamTable table;
  BertParams params;
  testing::RandomParams values;
};

TEST(EncoderLayer, FirstTokensAreWhatTheWholeLayerGivesForThem) {
  testing::LayerFixture fixture;
  Model model;
  Step step = fixture.step(testing::kTestDropout);
  const Matrix<float> x = fixture.random_matrix(kTokens, kWidth, 1);
  const Matrix<float> y = fixture.random_matrix(kTokens, kWidth, 2);
  const Matrix<float> first = fixture.random_matrix(kSequences, kWidth, 3);
  const EncoderLayer whole(model.config, model.params.layers[0], 0, Tokens::kAll);
  const EncoderLayer last(model.config, model.params.layers[0], 0, Tokens::kFirst);
  const auto whole_saved = whole.allocate(step);
  const auto last_saved = last.allocate(step);
  whole.forward(model.values.weights_view(), x, y, whole_saved, step);
  last.forward(model.values.weights_view(), x, first, last_saved, step);
  for (std::int64_t b = 0; b < kSequences; ++b) {
    const float* const expected = y.row(fixture.starts[static_cast<std::size_t>(b)]);
    for (std::int64_t c = 0; c < kWidth; ++c) EXPECT_NEAR(first.row(b)[c], expected[c], 1e-6);
  }

  // Backward from gradients that are zero but for the first tokens.
  const Matrix<float> d_first = fixture.random_matrix(kSequences, kWidth, 4);
  const Matrix<float> d_last = fixture.random_matrix(kTokens, kWidth, 5);
  const Matrix<float> d_whole = fixture.random_matrix(kTokens, kWidth, 6);
  std::ranges::fill(elements(d_whole), 0.0F);
  for (std::int64_t b = 0; b < kSequences; ++b) {
    std::copy_n(d_first.row(b), kWidth, d_whole.row(fixture.starts[static_cast<std::size_t>(b)]));
  }
  testing::RandomParams of_last = model.values;
  whole.backward(model.values.weights_view(), whole_saved, x, d_whole, d_whole,
                 model.values.gradients_view(), step);
  last.backward(of_last.weights_view(), last_saved, x, d_first, d_last, of_last.gradients_view(),
                step);
  for (std::int64_t i = 0; i < kTokens * kWidth; ++i) {
    ASSERT_NEAR(d_last.data[i], d_whole.data[i], 1e-5) << "element " << i;
  }
  for (std::size_t i = 0; i < of_last.gradients.size(); ++i) {
    ASSERT_NEAR(of_last.gradients[i], model.values.gradients[i], 2e-5) << "gradient " << i;
  }
}

TEST(EncoderLayer, BackwardOfFirstTokensMatchesFiniteDifferencesWithDropout) {
  testing::LayerFixture fixture;
  Model model;
  Step step = fixture.step(testing::kTestDropout);
  const Matrix<float> x = fixture.random_matrix(kTokens, kWidth, 1);
  const Matrix<float> y = fixture.random_matrix(kSequences, kWidth, 2);
  const Matrix<float> dy = fixture.random_matrix(kSequences, kWidth, 3);
  const Matrix<float> consumed = fixture.random_matrix(kSequences, kWidth, 3);
  const Matrix<float> dx = fixture.random_matrix(kTokens, kWidth, 4);
  const EncoderLayer layer(model.config, model.params.layers[0], 0, Tokens::kFirst);
  const auto saved = layer.allocate(step);
  const auto loss = [&] {
    layer.forward(model.values.weights_view(), x, y, saved, step);
    return testing::dot(elements(y), elements(dy));
  };
  loss();
  layer.backward(model.values.weights_view(), saved, x, consumed, dx, model.values.gradients_view(),
                 step);
  testing::expect_gradient(elements(x), elements(dx), loss);
}

}  // namespace
}  // namespace tandem
