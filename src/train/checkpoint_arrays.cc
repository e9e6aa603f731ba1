#include "train/checkpoint_arrays.h"

#include <algorithm>

#include "base/cpu.h"
#include "formats/safetensors.h"

namespace tandem {
namespace {

constexpr std::string_view kMoment1 = "exp_avg.";
constexpr std::string_view kMoment2 = "exp_avg_sq.";

std::vector<std::int64_t> shape_of(const ParamSlice& slice) { return {slice.rows, slice.cols}; }

std::string name_of(std::string_view kind, const ParamInfo& param) {
  return std::string(kind) + param.name;
}

void read_array(const SafetensorsFile& file, std::string_view kind, const ParamTable& table,
                std::span<float> array) {
  for (const ParamInfo& param : table.all()) {
    const std::string name = name_of(kind, param);
    const auto& tensors = file.header().tensors;
    const auto found = std::ranges::lower_bound(tensors, name, {}, &TensorInfo::name);
    if (found == tensors.end() || found->name != name || found->dtype != "F32" ||
        found->shape != shape_of(param.slice)) {
      throw ModelError("{}: lacks the tensor {} of type F32 and shape {}: it is of another model",
                       kOptimizerFile, name, shape_text(shape_of(param.slice)));
    }
    file.read_f32(*found, Gradients{array}.vector(param.slice));
  }
}

std::int64_t bytes_of_copy(std::int64_t floats) {
  constexpr std::int64_t kAlignmentSlack = 3 * 64;
  return 3 * floats * static_cast<std::int64_t>(sizeof(float)) + kAlignmentSlack;
}

void copy(std::span<const float> from, std::span<float> to, ThreadPool& pool) {
  constexpr std::size_t kBlock = 1 << 20;
  const std::size_t blocks = (from.size() + kBlock - 1) / kBlock;
  pool.run(static_cast<std::int64_t>(blocks), [&](std::int64_t block, int) {
    const std::size_t begin = static_cast<std::size_t>(block) * kBlock;
    std::ranges::copy(from.subspan(begin, std::min(kBlock, from.size() - begin)),
                      to.subspan(begin).begin());
  });
}

}  // namespace

void stage_moments(StagedFiles& files, const ParamTable& table, const CheckpointArrays& arrays) {
  std::vector<TensorToWrite> tensors;
  for (const ParamInfo& param : table.all()) {
    tensors.push_back(TensorToWrite::f32(name_of(kMoment1, param), shape_of(param.slice),
                                         Weights{arrays.moment1}.vector(param.slice)));
    tensors.push_back(TensorToWrite::f32(name_of(kMoment2, param), shape_of(param.slice),
                                         Weights{arrays.moment2}.vector(param.slice)));
  }
  stage_safetensors(files, kOptimizerFile, std::move(tensors));
}

void read_moments(const std::filesystem::path& directory, const ParamTable& table,
                  std::span<float> moment1, std::span<float> moment2) {
  const SafetensorsFile file = SafetensorsFile::open(directory / kOptimizerFile);
  read_array(file, kMoment1, table, moment1);
  read_array(file, kMoment2, table, moment2);
}

bool TrainingSnapshot::fits(std::int64_t floats) {
  const std::int64_t available = available_memory_bytes();
  return available <= 0 || bytes_of_copy(floats) < available;
}

CheckpointArrays TrainingSnapshot::take(const CheckpointArrays& arrays, ThreadPool& pool) {
  if (memory_ == nullptr) {
    const auto floats = static_cast<std::int64_t>(arrays.weights.size());
    memory_ = std::make_unique<Arena>(bytes_of_copy(floats));
    for (std::span<float>* const array : {&weights_, &moment1_, &moment2_}) {
      *array = memory_->vector<float>(floats);
    }
  }
  copy(arrays.weights, weights_, pool);
  copy(arrays.moment1, moment1_, pool);
  copy(arrays.moment2, moment2_, pool);
  return {.weights = weights_, .moment1 = moment1_, .moment2 = moment2_};
}

}  // namespace tandem
