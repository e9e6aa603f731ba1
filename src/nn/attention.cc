#include "nn/attention.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace tandem {
namespace {

std::int64_t longest_sequence(const BatchLayout& batch) {
  std::int64_t longest = 0;
  for (std::size_t b = 0; b + 1 < batch.starts.size(); ++b) {
    longest = std::max<std::int64_t>(longest, batch.starts[b + 1] - batch.starts[b]);
  }
  return longest;
}

// Columns of one head's query, key and value in a [T, 3C] matrix.
struct HeadColumns {
  std::int64_t query, key, value;
};

// body(head, first token, its columns) for each head of each sequence, on all threads.
template <class Body>
void for_each_head(const SelfAttention& attention, Matrix<const float> qkv, Step& step,
                   const Body& body) {
  const std::int64_t width = qkv.cols / 3;
  const std::int64_t head_width = width / attention.heads;
  const ArenaScope scope(step.arena);
  const Matrix<float> workspaces = step.arena.matrix<float>(
      step.pool.size(),
      kernels::attention_workspace_floats(longest_sequence(step.batch), head_width));
  const kernels::DropoutKey key = step.dropout.key(
      attention.dropout_probability, DropoutSite::kAttentionProbabilities, attention.layer);
  step.run(step.batch.sequences() * attention.heads, [&](std::int64_t task, int worker) {
    const std::int64_t head = task % attention.heads;
    const auto sequence = static_cast<std::size_t>(task / attention.heads);
    const std::int64_t first = step.batch.starts[sequence];
    const HeadColumns at{head * head_width, width + head * head_width,
                         2 * width + head * head_width};
    const float* const row = qkv.row(first);
    body(kernels::AttentionHead{.tokens = step.batch.starts[sequence + 1] - first,
                                .width = head_width,
                                .query = row + at.query,
                                .key = row + at.key,
                                .value = row + at.value,
                                .qkv_stride = qkv.stride,
                                .scale = 1 / std::sqrt(static_cast<float>(head_width)),
                                .dropout = key,
                                .sample = step.batch.samples[static_cast<std::size_t>(first)],
                                .head = head,
                                .workspace = workspaces.row(worker)},
         first, at);
  });
}

}  // namespace

SelfAttention::Saved SelfAttention::allocate(std::int64_t tokens, std::int64_t width,
                                             Arena& arena) const {
  return {arena.matrix<float>(tokens, width), arena.matrix<float>(tokens, heads)};
}

void SelfAttention::forward(Matrix<const float> qkv, const Saved& saved, Step& step) const {
  for_each_head(*this, qkv, step,
                [&](const kernels::AttentionHead& head, std::int64_t first, HeadColumns at) {
                  step.kernels.attention_forward(
                      head, saved.context.row(first) + at.query, saved.context.stride,
                      saved.log_sum_exp.row(first) + head.head, saved.log_sum_exp.stride);
                });
}

void SelfAttention::backward(Matrix<const float> qkv, const Saved& saved,
                             Matrix<const float> d_context, Matrix<float> d_qkv, Step& step) const {
  TANDEM_CHECK(d_qkv.stride == qkv.stride && d_context.stride == saved.context.stride,
               "gradients are laid out as their values");
  for_each_head(*this, qkv, step,
                [&](const kernels::AttentionHead& head, std::int64_t first, HeadColumns at) {
                  float* const d_row = d_qkv.row(first);
                  step.kernels.attention_backward(
                      head, saved.context.row(first) + at.query, d_context.row(first) + at.query,
                      saved.context.stride, saved.log_sum_exp.row(first) + head.head,
                      saved.log_sum_exp.stride, d_row + at.query, d_row + at.key, d_row + at.value);
                });
}

}  // namespace tandem
