#include "train/shared_inputs.h"

#include <type_traits>

#include "comm/collectives.h"

namespace tandem {
namespace {

constexpr int kRoot = 0;
// Reading a large model or table may take the root a while.
constexpr Deadline kReading = std::chrono::minutes(30);

template <class T>
void broadcast_value(Communicator& communicator, T& value, const char* what) {
  static_assert(std::is_trivially_copyable_v<T>);
  broadcast(communicator, std::as_writable_bytes(std::span(&value, 1)), kRoot, what, kReading);
}

template <class T>
void broadcast_vector(Communicator& communicator, std::vector<T>& values, const char* what) {
  auto size = static_cast<std::int64_t>(values.size());
  broadcast_value(communicator, size, what);
  values.resize(static_cast<std::size_t>(size));
  broadcast(communicator, std::as_writable_bytes(std::span(values)), kRoot, what, kReading);
}

}  // namespace

void broadcast_outline(Communicator& communicator, RunOutline& outline) {
  broadcast_value(communicator, outline, "what rank 0 reads");
}

void broadcast_order(Communicator& communicator, RunOrder& order) {
  broadcast_value(communicator, order, "what is trained next");
}

void broadcast_weights(Communicator& communicator, std::span<float> weights) {
  broadcast(communicator, std::as_writable_bytes(weights), kRoot, "the model's weights", kReading);
}

void broadcast_moments(Communicator& communicator, std::span<float> moment1,
                       std::span<float> moment2) {
  for (const std::span<float> moments : {moment1, moment2}) {
    broadcast(communicator, std::as_writable_bytes(moments), kRoot, "AdamW's moments", kReading);
  }
}

void broadcast_dataset(Communicator& communicator, TokenDataset& dataset) {
  constexpr const char* kWhat = "the data";
  broadcast_vector(communicator, dataset.ids, kWhat);
  broadcast_vector(communicator, dataset.segments, kWhat);
  broadcast_vector(communicator, dataset.starts, kWhat);
  broadcast_vector(communicator, dataset.example_of, kWhat);
  broadcast_vector(communicator, dataset.labels, kWhat);
  broadcast_vector(communicator, dataset.lines, kWhat);
  broadcast_value(communicator, dataset.label_columns, kWhat);
  broadcast_value(communicator, dataset.truncated, kWhat);
  dataset.source = broadcast_text(communicator, dataset.source, kRoot, kWhat, kReading);
}

void broadcast_class_weights(Communicator& communicator, std::vector<float>& weights) {
  broadcast_vector(communicator, weights, "the class weights");
}

}  // namespace tandem
