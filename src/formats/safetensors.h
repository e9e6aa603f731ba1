#pragma once
// The safetensors format: 8 bytes of header length, a JSON header, then the tensors end to end.
// https://github.com/huggingface/safetensors (README and safetensors/src/tensor.rs). Read with
// pread and never mapped: a mapped file that shrinks, or a network file system under load, kills
// the process.

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"

namespace tandem {

struct TensorInfo {
  std::string name;
  std::string dtype;  // as the file spells it: F32, BF16, I64, ...
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0;  // from the start of the file
  std::int64_t bytes = 0;
  std::int64_t elements = 1;
};

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;              // in order of their names
  std::map<std::string, std::string> metadata;  // __metadata__
};

constexpr std::int64_t kMaxSafetensorsHeaderBytes = 100'000'000;

// Checks and parses a header (the bytes after the 8 of its length) of a file of `file_bytes`.
// Throws ModelError "<source>: tensor <name>: <rule and numbers>" unless every rule holds: UTF-8;
// starts with '{'; JSON without a repeated key; entries of exactly dtype, shape and data_offsets;
// a dtype of the format; shape times dtype is the size, without overflow; the tensors fill the
// rest of the file from its first byte to its last, without holes and overlaps; __metadata__ maps
// strings to strings.
SafetensorsHeader parse_safetensors_header(std::string_view header, std::int64_t file_bytes,
                                           std::string_view source);

// An open file whose header has passed all checks.
class SafetensorsFile {
 public:
  // Throws ModelError when the file can't be read or breaks a rule; messages name the file's name
  // without its directory.
  static SafetensorsFile open(const std::filesystem::path& path);

  const SafetensorsHeader& header() const { return header_; }

  // Reads a tensor of type F32, F16, BF16 or I8 as floats; `out` has as many elements as the
  // tensor. Throws ModelError for another type and when the file can no longer be read.
  void read_f32(const TensorInfo& tensor, std::span<float> out) const;

 private:
  SafetensorsFile(InputFile file, std::string name, SafetensorsHeader header);

  InputFile file_;
  std::string name_;
  SafetensorsHeader header_;
};

// A tensor to be written, as it lies in memory.
struct TensorToWrite {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string dtype;  // F32 or I8
  std::span<const std::byte> values;

  static TensorToWrite f32(std::string name, std::vector<std::int64_t> shape,
                           std::span<const float> values) {
    return {std::move(name), std::move(shape), "F32", std::as_bytes(values)};
  }
  static TensorToWrite i8(std::string name, std::vector<std::int64_t> shape,
                          std::span<const std::int8_t> values) {
    return {std::move(name), std::move(shape), "I8", std::as_bytes(values)};
  }
};

// Stages a file of these tensors, in order of their names, with the __metadata__ {"format": "pt"}
// that transformers asks for. Byte for byte what safetensors.torch.save_file writes.
void stage_safetensors(StagedFiles& files, const std::string& name,
                       std::vector<TensorToWrite> tensors);

// "[768, 3072]"
std::string shape_text(std::span<const std::int64_t> shape);

}  // namespace tandem
