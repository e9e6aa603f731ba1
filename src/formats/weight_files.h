#pragma once
// The tensors of a model's directory: one safetensors file, or several with an index.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/safetensors.h"

namespace tandem {

class WeightFiles {
 public:
  // Opens model.safetensors, else the files that model.safetensors.index.json names. Throws
  // ModelError when neither is there; when there is pytorch_model.bin instead, the error says why
  // it isn't read (a pickle can run code) and which command converts it. All headers are checked;
  // every tensor of the index must be in the file it names, and every tensor of those files in the
  // index.
  static WeightFiles open(const std::filesystem::path& directory);

  struct Tensor {
    TensorInfo info;
    std::size_t file = 0;  // in files
  };
  std::span<const Tensor> tensors() const { return tensors_; }  // in order of their names
  // The name of the file that a tensor is in, for messages.
  const std::string& file_name(const Tensor& tensor) const { return names_[tensor.file]; }
  // "model.safetensors" or "3 files of model.safetensors.index.json".
  const std::string& description() const { return description_; }

  // As SafetensorsFile::read_f32.
  void read_f32(const Tensor& tensor, std::span<float> out) const;

 private:
  WeightFiles() = default;
  void add_file(const std::filesystem::path& path);

  std::vector<SafetensorsFile> files_;
  std::vector<std::string> names_;
  std::vector<Tensor> tensors_;
  std::string description_;
};

// The weight_map of an index file: (tensor, file name), in order of the tensors. Throws ModelError
// when it isn't of that form or a file name could lead out of the directory.
std::vector<std::pair<std::string, std::string>> parse_weight_index(std::string_view text,
                                                                    const std::string& source);

// The shell command that writes model.safetensors from a directory's pytorch_model*.bin.
std::string conversion_command(const std::filesystem::path& directory);

}  // namespace tandem
