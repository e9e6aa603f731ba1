#pragma once
// What the sizes of an encoder's products follow from, for benchmarks.

#include <cstdint>

#include "model/bert_config.h"
#include "nn/gemm_benchmark.h"

namespace tandem {

inline EncoderExtent encoder_extent(const BertConfig& config, std::int64_t tokens,
                                    std::int64_t sequences) {
  return {.tokens = tokens,
          .sequences = sequences,
          .width = config.hidden_size,
          .intermediate_size = config.intermediate_size,
          .layers = config.num_hidden_layers};
}

}  // namespace tandem
