#include "nn/attention.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace tandem {
namespace {

std::int64_t longest_sequence(const TokenRows& rows) {
  std::int64_t longest = 0;
  for (std::size_t b = 0; b + 1 < rows.starts.size(); ++b) {
    longest = std::max<std::int64_t>(longest, rows.starts[b + 1] - rows.starts[b]);
  }
  return longest;
}

// A thread that takes neighbouring heads one after another has the next one's rows fetched in time;
// but all threads need their share.
std::int64_t heads_of_a_task(std::int64_t all_heads, std::int64_t heads, int threads) {
  constexpr std::int64_t kTasksPerThread = 12;
  return std::clamp(all_heads / (kTasksPerThread * threads), std::int64_t{1}, heads);
}

// Where one head of one sequence lies in the matrices.
struct HeadPlace {
  std::int64_t query_row, token_row, column;
};

// body(head, its place) for each head of each sequence, on all threads.
template <class T, class Body>
void for_each_head(const SelfAttention<T>& attention, const QueryKeyValue<const T>& input,
                   Step& step, const Body& body) {
  const std::int64_t head_width = input.query.cols / attention.heads;
  const TokenRows& tokens = step.batch.all;
  const TokenRows& queries = step.batch.rows(attention.queries);
  const ArenaScope scope(step.arena);
  const std::int64_t workspace_floats =
      kernels::attention_workspace_floats<T>(longest_sequence(tokens), head_width);
  const std::span<float> workspaces = step.arena.vector<float>(step.pool.size() * workspace_floats);
  const kernels::DropoutKey key = step.dropout.key(
      attention.dropout_probability, DropoutSite::kAttentionProbabilities, attention.layer);
  const std::int64_t together =
      heads_of_a_task(tokens.sequences() * attention.heads, attention.heads, step.pool.size());
  const std::int64_t parts = (attention.heads + together - 1) / together;
  const auto compute_head = [&](std::size_t sequence, std::int64_t head, bool next_follows,
                                int worker) {
    const HeadPlace at{queries.starts[sequence], tokens.starts[sequence], head * head_width};
    body(kernels::AttentionHead<T>{.tokens = tokens.starts[sequence + 1] - at.token_row,
                                   .queries = queries.starts[sequence + 1] - at.query_row,
                                   .width = head_width,
                                   .query = input.query.row(at.query_row) + at.column,
                                   .query_stride = input.query.stride,
                                   .key = input.key.row(at.token_row) + at.column,
                                   .value = input.value.row(at.token_row) + at.column,
                                   .key_value_stride = input.key.stride,
                                   .scale = 1 / std::sqrt(static_cast<float>(head_width)),
                                   .dropout = key,
                                   .sample = tokens.samples[static_cast<std::size_t>(at.token_row)],
                                   .head = head,
                                   .next_head_follows = next_follows,
                                   .workspace = workspaces.data() + worker * workspace_floats},
         at);
  };
  step.run(tokens.sequences() * parts, [&](std::int64_t task, int worker) {
    const std::int64_t end = std::min(attention.heads, (task % parts + 1) * together);
    for (std::int64_t head = task % parts * together; head < end; ++head) {
      compute_head(static_cast<std::size_t>(task / parts), head, head + 1 < end, worker);
    }
  });
}

// Multiply-adds of one product of queries with keys, over all heads.
double query_key_pairs(const BatchLayout& batch, Tokens queries) {
  double pairs = 0;
  const TokenRows& rows = batch.rows(queries);
  for (std::size_t b = 0; b + 1 < rows.starts.size(); ++b) {
    pairs += static_cast<double>(rows.starts[b + 1] - rows.starts[b]) *
             (batch.all.starts[b + 1] - batch.all.starts[b]);
  }
  return pairs;
}

// Enters the phase and counts what `products` products of queries with keys or values come to.
template <class T>
void enter_attention(const SelfAttention<T>& attention, Pass pass, int products,
                     const QueryKeyValue<const T>& input, const Step& step) {
  const std::int64_t values = 2 * input.query.rows * input.query.cols +  // and context
                              2 * input.key.rows * input.key.cols;
  step.enter<T>(Phase::kAttention, pass, pass == Pass::kForward ? values : 2 * values);
  step.count(2.0 * products * static_cast<double>(input.query.cols) *
                 query_key_pairs(step.batch, attention.queries),
             0);
}

}  // namespace

template <class T>
typename SelfAttention<T>::Saved SelfAttention<T>::allocate(std::int64_t queries_count,
                                                            std::int64_t width,
                                                            Arena& arena) const {
  return {arena.matrix<T>(queries_count, width), arena.matrix<float>(queries_count, heads)};
}

template <class T>
void SelfAttention<T>::forward(const QueryKeyValue<const T>& input, const Saved& saved,
                               Step& step) const {
  enter_attention(*this, Pass::kForward, 2, input, step);
  for_each_head(*this, input, step,
                [&](const kernels::AttentionHead<T>& head, const HeadPlace& at) {
                  step.kernels.of<T>().attention_forward(
                      head, saved.context.row(at.query_row) + at.column, saved.context.stride,
                      saved.log_sum_exp.row(at.query_row) + head.head, saved.log_sum_exp.stride);
                });
}

template <class T>
void SelfAttention<T>::backward(const QueryKeyValue<const T>& input, const Saved& saved,
                                Matrix<const T> d_context, const QueryKeyValue<T>& gradient,
                                Step& step) const {
  TANDEM_CHECK(gradient.query.stride == input.query.stride &&
                   gradient.key.stride == input.key.stride &&
                   d_context.stride == saved.context.stride,
               "gradients are laid out as their values");
  enter_attention(*this, Pass::kBackward, 5, input, step);
  for_each_head(*this, input, step,
                [&](const kernels::AttentionHead<T>& head, const HeadPlace& at) {
                  step.kernels.of<T>().attention_backward(
                      head, saved.context.row(at.query_row) + at.column,
                      d_context.row(at.query_row) + at.column, saved.context.stride,
                      saved.log_sum_exp.row(at.query_row) + head.head, saved.log_sum_exp.stride,
                      gradient.query.row(at.query_row) + at.column,
                      gradient.key.row(at.token_row) + at.column,
                      gradient.value.row(at.token_row) + at.column);
                });
}

template struct SelfAttention<float>;
template struct SelfAttention<BFloat16>;

}  // namespace tandem
