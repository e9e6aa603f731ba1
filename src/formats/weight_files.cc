#include "formats/weight_files.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/printable.h"
#include "formats/json.h"

namespace tandem {
namespace {

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";
constexpr std::int64_t kMaxIndexBytes = std::int64_t{16} << 20;
constexpr std::size_t kMaxFiles = 256;  // each is held open; 1024 is the usual limit

std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += R"('\'')";
    } else {
      result += c;
    }
  }
  return result + "'";
}

[[noreturn]] void fail_without_weights(const std::filesystem::path& directory) {
  for (const char* pickle : {"pytorch_model.bin", "pytorch_model.bin.index.json"}) {
    if (std::filesystem::exists(directory / pickle)) {
      throw ModelError(
          "{}: there is no model.safetensors, only {}, a pickle, which can run code when it is "
          "read; convert it with: {}",
          directory.string(), pickle, conversion_command(directory));
    }
  }
  throw ModelError("{}: expected {} or {}, found neither", directory.string(), kSingleFile,
                   kIndexFile);
}

}  // namespace

std::string conversion_command(const std::filesystem::path& directory) {
  // clone(): tensors that share memory (a tied decoder) can't be saved otherwise.
  return "python3 -c \"import glob, sys, torch; from safetensors.torch import save_file; d = "
         "sys.argv[1]; files = sorted(glob.glob(glob.escape(d) + '/pytorch_model*.bin')); "
         "save_file({k: v.clone().contiguous() for f in files for k, v in torch.load(f, "
         "map_location='cpu', weights_only=True).items()}, d + '/model.safetensors', "
         "metadata={'format': 'pt'})\" " +
         shell_quoted(directory.string());
}

std::vector<std::pair<std::string, std::string>> parse_weight_index(std::string_view text,
                                                                    const std::string& source) {
  const JsonSource where{.name = source};
  const nlohmann::json index = parse_json(text, where);
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [tensor, file] : JsonValue(index, where).at("weight_map").members()) {
    const std::string& name = file.text();
    if (name.find('/') != name.npos || name.find('\0') != name.npos || name.starts_with('.') ||
        !name.ends_with(".safetensors")) {
      file.fail_expecting("the name of a .safetensors file in the same directory");
    }
    result.emplace_back(tensor, name);
  }
  if (result.empty()) throw ModelError("{}: weight_map: has no tensors", source);
  return result;
}

void WeightFiles::add_file(const std::filesystem::path& path) {
  files_.push_back(SafetensorsFile::open(path));
  names_.push_back(path.filename().string());
  for (const TensorInfo& info : files_.back().header().tensors) {
    tensors_.push_back({info, files_.size() - 1});
  }
}

WeightFiles WeightFiles::open(const std::filesystem::path& directory) {
  WeightFiles result;
  if (std::filesystem::exists(directory / kSingleFile)) {
    result.add_file(directory / kSingleFile);
    result.description_ = kSingleFile;
    return result;
  }
  if (!std::filesystem::exists(directory / kIndexFile)) fail_without_weights(directory);

  const auto weight_map = parse_weight_index(
      read_file(directory / kIndexFile, ExitCode::kModel, kMaxIndexBytes), kIndexFile);
  std::map<std::string, std::size_t> files;
  for (const auto& [tensor, file] : weight_map) files.emplace(file, 0);
  if (files.size() > kMaxFiles) {
    throw ModelError("{}: names {} files, at most {} are supported", kIndexFile, files.size(),
                     kMaxFiles);
  }
  for (auto& [file, number] : files) {
    if (!std::filesystem::exists(directory / file)) {
      throw ModelError("{}: {} is named by {} but isn't there", directory.string(), printable(file),
                       kIndexFile);
    }
    number = result.files_.size();
    result.add_file(directory / file);
  }
  std::sort(result.tensors_.begin(), result.tensors_.end(), [](const Tensor& a, const Tensor& b) {
    return std::pair(std::string_view(a.info.name), a.file) <
           std::pair(std::string_view(b.info.name), b.file);
  });
  // Both lists are sorted by name, so the first difference is the first tensor that isn't in both.
  const std::size_t count = std::max(weight_map.size(), result.tensors_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const bool in_file = i < result.tensors_.size();
    const bool in_index = i < weight_map.size();
    if (in_index && (!in_file || weight_map[i].first < result.tensors_[i].info.name)) {
      throw ModelError("{}: tensor {} should be in {} and isn't", kIndexFile,
                       printable(weight_map[i].first), printable(weight_map[i].second));
    }
    const Tensor& tensor = result.tensors_[i];
    if (!in_index || tensor.info.name < weight_map[i].first ||
        tensor.file != files[weight_map[i].second]) {
      throw ModelError("{}: tensor {} of {} is {}", kIndexFile, printable(tensor.info.name),
                       result.file_name(tensor),
                       in_index && tensor.info.name == weight_map[i].first
                           ? "said to be in another file"
                           : "not listed, or listed in another file");
    }
  }
  result.description_ = fmt::format("{} files of {}", files.size(), kIndexFile);
  return result;
}

void WeightFiles::read_f32(const Tensor& tensor, std::span<float> out) const {
  files_[tensor.file].read_f32(tensor.info, out);
}

}  // namespace tandem
