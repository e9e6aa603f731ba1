#pragma once
// A BERT of a few numbers and its directory, for tests.

#include <string>
#include <vector>

#include "base/file.h"
#include "formats/safetensors.h"
#include "model/hf_names.h"
#include "model/model_directory.h"
#include "support/temporary_directory.h"

namespace tandem::testing {

inline constexpr const char* kTinyConfig = R"({
  "architectures": ["BertModel"], "model_type": "bert", "vocab_size": 11, "hidden_size": 8,
  "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12,
  "max_position_embeddings": 6
})";

// The tensors of a file, with values of their own, to be changed by a test.
struct TinyTensors {
  struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
  };
  std::vector<Tensor> tensors;

  // All tensors of the encoder, pooler and, when K > 0, head; value i of tensor n is n + i / 1000.
  explicit TinyTensors(const BertConfig& config, std::int64_t outputs) {
    ParamTable table;
    for (const HfTensor& tensor : hf_tensors(add_bert_params(table, config, outputs))) {
      if (outputs == 0 && tensor.part == ModelPart::kClassifier) continue;
      std::vector<float> values(static_cast<std::size_t>(tensor.slice.size()));
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(tensors.size()) + static_cast<float>(i) / 1000;
      }
      tensors.push_back({tensor.name, tensor.shape, std::move(values)});
    }
  }

  void add(const std::string& name, std::vector<std::int64_t> shape) {
    std::size_t elements = 1;
    for (const std::int64_t dimension : shape) elements *= static_cast<std::size_t>(dimension);
    tensors.push_back({name, std::move(shape), std::vector<float>(elements, 0.5F)});
  }
  void remove(const std::string& name) {
    std::erase_if(tensors, [&](const Tensor& tensor) { return tensor.name == name; });
  }
  Tensor& at(const std::string& name) {
    for (Tensor& tensor : tensors) {
      if (tensor.name == name) return tensor;
    }
    TANDEM_CHECK(false, "no tensor {}", name);
  }

  void write(const TemporaryDirectory& directory, const std::string& file) const {
    StagedFiles files(directory.path());
    std::vector<TensorToWrite> list;
    for (const Tensor& tensor : tensors) {
      list.push_back(TensorToWrite::f32(tensor.name, tensor.shape, tensor.values));
    }
    stage_safetensors(files, file, std::move(list));
    files.commit();
  }
};

}  // namespace tandem::testing
