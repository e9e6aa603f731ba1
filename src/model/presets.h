#pragma once
// Well-known sizes of BERT, for models that start from random weights.

#include <span>
#include <string_view>

#include "model/hf_config.h"

namespace tandem {

// bert-base-cased, bert-base-uncased, bert-large-cased, minilm-l6.
std::span<const std::string_view> preset_names();

// The configuration that the model of this name has, without labels. Another name is a UsageError
// that lists those there are.
HfConfig preset_config(std::string_view name);

}  // namespace tandem
