#include "model/encoder_layer.h"

#include <cmath>

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

constexpr std::int64_t kTokens = 13, kSequences = 3;

// One layer's parameters, with a dropout of a quarter.
struct Model {
  explicit Model(std::int64_t width)
      : config{.vocab_size = 5,
               .hidden_size = width,
               .num_hidden_layers = 1,
               .num_attention_heads = 2,
               .intermediate_size = 2 * width + 8,
               .max_position_embeddings = 8,
               .hidden_dropout_prob = 0.25F,
               .attention_probs_dropout_prob = 0.25F},
        params(add_bert_params(table, config, 2)),
        values(table, 0.3F * std::sqrt(16.0F / static_cast<float>(width))) {}
  BertConfig config;
  ParamTable table;
  BertParams params;
  testing::RandomParams values;
};

// Rows of 256 floats have a gap between them, those of 16 none.
void expect_first_tokens_as_of_the_whole_layer(std::int64_t width) {
  testing::LayerFixture fixture;
  Model model(width);
  Step step = fixture.step(testing::kTestDropout);
  const Matrix<float> x = fixture.random_matrix(kTokens, width, 1);
  const Matrix<float> y = fixture.random_matrix(kTokens, width, 2);
  const Matrix<float> first = fixture.random_matrix(kSequences, width, 3);
  const EncoderLayer<float> whole(model.config, model.params.layers[0], 0, Tokens::kAll);
  const EncoderLayer<float> last(model.config, model.params.layers[0], 0, Tokens::kFirst);
  const auto whole_saved = whole.allocate(step);
  const auto last_saved = last.allocate(step);
  whole.forward(model.values.weights_view(), x, y, whole_saved, step);
  last.forward(model.values.weights_view(), x, first, last_saved, step);
  for (std::int64_t b = 0; b < kSequences; ++b) {
    const float* const expected = y.row(fixture.starts[static_cast<std::size_t>(b)]);
    for (std::int64_t c = 0; c < width; ++c) EXPECT_NEAR(first.row(b)[c], expected[c], 1e-6);
  }

  // Backward from gradients that are zero but for the first tokens.
  const Matrix<float> d_first = fixture.random_matrix(kSequences, width, 4);
  const Matrix<float> d_last = fixture.random_matrix(kTokens, width, 5);
  const Matrix<float> d_whole = fixture.random_matrix(kTokens, width, 6);
  for (std::int64_t t = 0; t < kTokens; ++t) std::fill_n(d_whole.row(t), width, 0.0F);
  for (std::int64_t b = 0; b < kSequences; ++b) {
    std::copy_n(d_first.row(b), width, d_whole.row(fixture.starts[static_cast<std::size_t>(b)]));
  }
  testing::RandomParams of_last = model.values;
  whole.backward(model.values.weights_view(), whole_saved, x, d_whole, d_whole,
                 model.values.gradients_view(), step);
  last.backward(of_last.weights_view(), last_saved, x, d_first, d_last, of_last.gradients_view(),
                step);
  for (std::int64_t t = 0; t < kTokens; ++t) {
    for (std::int64_t c = 0; c < width; ++c) {
      ASSERT_NEAR(d_last.row(t)[c], d_whole.row(t)[c], 1e-5) << "token " << t << ", " << c;
    }
  }
  for (std::size_t i = 0; i < of_last.gradients.size(); ++i) {
    ASSERT_NEAR(of_last.gradients[i], model.values.gradients[i], 2e-5) << "gradient " << i;
  }
}

TEST(EncoderLayer, FirstTokensAreWhatTheWholeLayerGivesForThem) {
  for (const std::int64_t width : {16, 256}) {
    SCOPED_TRACE(width);
    expect_first_tokens_as_of_the_whole_layer(width);
  }
}

TEST(EncoderLayer, BackwardOfFirstTokensMatchesFiniteDifferencesWithDropout) {
  testing::LayerFixture fixture;
  constexpr std::int64_t kWidth = 16;
  Model model(kWidth);
  Step step = fixture.step(testing::kTestDropout);
  const Matrix<float> x = fixture.random_matrix(kTokens, kWidth, 1);
  const Matrix<float> y = fixture.random_matrix(kSequences, kWidth, 2);
  const Matrix<float> dy = fixture.random_matrix(kSequences, kWidth, 3);
  const Matrix<float> consumed = fixture.random_matrix(kSequences, kWidth, 3);
  const Matrix<float> dx = fixture.random_matrix(kTokens, kWidth, 4);
  const EncoderLayer<float> layer(model.config, model.params.layers[0], 0, Tokens::kFirst);
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
