#include "nn/embeddings.h"

#include <algorithm>

#include "nn/row_dropout.h"

namespace tandem {
namespace {

// Clears a gradient that is added to row by row.
void zero_unless_accumulating(Matrix<float> gradient, Step& step) {
  if (step.accumulate) return;
  constexpr std::int64_t kRowsPerTask = 256;
  step.run((gradient.rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::int64_t task, int) {
    const std::int64_t begin = task * kRowsPerTask;
    const std::int64_t rows = std::min(kRowsPerTask, gradient.rows - begin);
    std::fill_n(gradient.row(begin), rows * gradient.cols, 0.0F);
  });
}

}  // namespace

template <class T>
void Embeddings<T>::forward(const LayerWeights<T>& weights, const Input& input, Matrix<T> y,
                            const Saved& saved, Step& step) const {
  step.enter<T>(Phase::kEmbeddings, Pass::kForward, 4 * y.rows * y.cols);
  const Matrix<const float> words = weights.matrix(word);
  const Matrix<const float> positions = weights.matrix(position);
  const Matrix<const float> types = weights.matrix(token_type);
  step.run_row_blocks(y.rows, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t t = begin; t < end; ++t) {
      const auto token = static_cast<std::size_t>(t);
      const float* const of_word = words.row(input.ids[token]);
      const float* const of_position = positions.row(step.batch.all.positions[token]);
      const float* const of_type = types.rows > 0 ? types.row(input.segments[token]) : nullptr;
      for (std::int64_t c = 0; c < y.cols; ++c) {
        const float sum = of_word[c] + of_position[c];
        y.row(t)[c] = round_to<T>(of_type == nullptr ? sum : sum + of_type[c]);
      }
    }
  });
  LayerNorm<T>{norm, epsilon}.forward(weights, y, y, saved, step);
  apply_dropout(y, step.batch.all, step.dropout.key(dropout_probability, DropoutSite::kEmbeddings),
                step);
}

template <class T>
void Embeddings<T>::backward(const LayerWeights<T>& weights, const Input& input, const Saved& saved,
                             Matrix<T> dy, Gradients gradients, Step& step) const {
  const std::int64_t activations = 6 * dy.rows * dy.cols;
  const auto tables = (word.size() + position.size()) * static_cast<std::int64_t>(sizeof(float)) /
                      static_cast<std::int64_t>(sizeof(T));
  step.enter<T>(Phase::kEmbeddings, Pass::kBackward, tables + activations);
  apply_dropout(dy, step.batch.all, step.dropout.key(dropout_probability, DropoutSite::kEmbeddings),
                step);
  LayerNorm<T>{norm, epsilon}.backward(weights, saved, dy, dy, gradients, step);

  const Matrix<float> d_words = gradients.matrix(word);
  const Matrix<float> d_positions = gradients.matrix(position);
  const Matrix<float> d_types = gradients.matrix(token_type);
  zero_unless_accumulating(d_words, step);
  zero_unless_accumulating(d_positions, step);
  zero_unless_accumulating(d_types, step);
  const auto& add = step.kernels.of<T>().add;
  // Tokens share rows of the tables, so threads divide the columns; each adds in token order.
  constexpr std::int64_t kColsPerTask = 64;
  step.run((dy.cols + kColsPerTask - 1) / kColsPerTask, [&](std::int64_t task, int) {
    const std::int64_t col = task * kColsPerTask;
    const std::int64_t cols = std::min(kColsPerTask, dy.cols - col);
    for (std::int64_t t = 0; t < dy.rows; ++t) {
      const auto token = static_cast<std::size_t>(t);
      const T* const d_token = dy.row(t) + col;
      add(d_token, cols, d_words.row(input.ids[token]) + col);
      add(d_token, cols, d_positions.row(step.batch.all.positions[token]) + col);
      if (d_types.rows > 0) add(d_token, cols, d_types.row(input.segments[token]) + col);
    }
  });
}

template struct Embeddings<float>;
template struct Embeddings<BFloat16>;

}  // namespace tandem
