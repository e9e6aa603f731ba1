#include "model/model_directory.h"

#include <algorithm>
#include <bit>
#include <list>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/cpu.h"
#include "base/error.h"
#include "base/printable.h"
#include "formats/json.h"
#include "formats/weight_files.h"
#include "model/hf_names.h"
#include "model/initialization.h"
#include "nn/quantized_linear.h"

namespace tandem {
namespace {

constexpr const char* kConfigFile = "config.json";
constexpr const char* kWeightsFile = "model.safetensors";

// A parameter of the model and the tensor of the files that holds it, if any does.
struct Match {
  HfTensor parameter;
  const WeightFiles::Tensor* tensor = nullptr;
  const WeightFiles::Tensor* scale = nullptr;  // of a quantised weight
};

// Decides what each tensor of the files is for. Works on names and shapes only.
class Matcher {
 public:
  Matcher(const WeightFiles& files, const HfConfig& config, const LoadOptions& options,
          LoadReport& report)
      : files_(files), config_(config), options_(options), report_(report) {}

  // The matched tensors in order of hf_tensors(); parts that are new have none.
  std::vector<Match> match(const BertParams& params) {
    for (HfTensor& parameter : hf_tensors(params)) matches_.push_back({std::move(parameter)});
    for (std::size_t i = 0; i < matches_.size(); ++i) by_name_[matches_[i].parameter.name] = i;
    for (const WeightFiles::Tensor& tensor : files_.tensors()) place(tensor);
    check_part(ModelPart::kEncoder, "encoder");
    if (!check_part(ModelPart::kPooler, "pooler")) report_.pooler = LoadReport::Part::kNew;
    check_head();
    for (const Match& match : matches_) check_quantization(match);
    return std::move(matches_);
  }

 private:
  void place(const WeightFiles::Tensor& tensor) {
    const HfName name = resolve_hf_name(tensor.info.name, config_.bert.family);
    switch (name.kind) {
      case HfNameKind::kPretrainingHead:
        ++report_.pretraining_tensors;
        return;
      case HfNameKind::kOtherHead:
        ++report_.other_head_tensors;
        return;
      case HfNameKind::kBuffer:
        ++report_.buffers;
        return;
      case HfNameKind::kParameter:
        break;
    }
    if (const auto scaled = by_name_.find(weight_of_scale(name.name));
        config_.int8_weights && scaled != by_name_.end()) {
      Match& match = matches_[scaled->second];
      if (match.scale != nullptr) fail_twice(*match.scale, tensor);
      match.scale = &tensor;
    } else if (const auto found = by_name_.find(name.name); found == by_name_.end()) {
      report_.unexpected.push_back(tensor.info.name);
    } else {
      place_parameter(tensor, matches_[found->second]);
    }
  }

  void place_parameter(const WeightFiles::Tensor& tensor, Match& match) {
    if (match.parameter.part == ModelPart::kClassifier && !config_.classifies_sequences()) {
      ++report_.other_head_tensors;
      return;
    }
    if (match.tensor != nullptr) fail_twice(*match.tensor, tensor);
    match.tensor = &tensor;
    check_shape(match);
  }

  [[noreturn]] void fail_twice(const WeightFiles::Tensor& a, const WeightFiles::Tensor& b) const {
    throw ModelError("{}: tensors {} and {} are the same parameter", files_.description(),
                     printable(a.info.name), printable(b.info.name));
  }

  void check_shape(const Match& match) {
    const TensorInfo& info = match.tensor->info;
    if (info.shape == match.parameter.shape) return;
    const std::string where =
        fmt::format("{}: tensor {} has shape {}", files_.file_name(*match.tensor),
                    printable(info.name), shape_text(info.shape));
    if (match.parameter.part != ModelPart::kClassifier || options_.outputs == 0) {
      throw ModelError("{}, {} implies {}", where, kConfigFile, shape_text(match.parameter.shape));
    }
    if (!options_.ignore_mismatched_sizes) {
      throw ModelError(
          "{}, this task's labels need {}: the model was fine-tuned for others; give "
          "--ignore-mismatched-sizes to train a new classification head",
          where, shape_text(match.parameter.shape));
    }
    report_.head = LoadReport::Part::kReplaced;
  }

  // 8-bit integers mean nothing without their scales.
  void check_quantization(const Match& match) const {
    if (match.tensor == nullptr) return;
    const bool integers = match.tensor->info.dtype == "I8";
    if (!integers && match.scale == nullptr) return;
    const std::string where = fmt::format("{}: tensor {}", files_.file_name(*match.tensor),
                                          printable(match.tensor->info.name));
    if (!match.parameter.linear_weight) {
      throw ModelError("{}: type {}; only the encoder's linear maps can be quantised", where,
                       match.tensor->info.dtype);
    }
    if (!integers || match.scale == nullptr) {
      throw ModelError("{}: type {} {}; expected I8 with a tensor {}, or floats without", where,
                       match.tensor->info.dtype,
                       match.scale == nullptr ? "without scales" : "with scales",
                       scale_name(match.parameter.name));
    }
    if (match.scale->info.dtype == "I8") {
      throw ModelError("{}: its scales are I8; expected floats", where);
    }
    if (match.scale->info.elements != match.parameter.shape.front()) {
      throw ModelError("{}: {} scales for {} outputs", where, match.scale->info.elements,
                       match.parameter.shape.front());
    }
  }

  // True when all tensors of a part are there, false when none is and it isn't the encoder.
  bool check_part(ModelPart part, std::string_view name) const {
    std::vector<std::string> missing;
    std::size_t count = 0;
    for (const Match& match : matches_) {
      if (match.parameter.part != part) continue;
      ++count;
      if (match.tensor == nullptr) missing.push_back(match.parameter.name);
    }
    if (missing.empty()) return true;
    if (missing.size() == count && part != ModelPart::kEncoder) return false;
    constexpr std::size_t kShown = 3;
    const bool more = missing.size() > kShown;
    const std::size_t all = missing.size();
    missing.resize(std::min(all, kShown));
    throw ModelError("{}: {} of {} tensors of the {} are missing: {}{}", files_.description(), all,
                     count, name, fmt::join(missing, ", "), more ? ", ..." : "");
  }

  void check_head() {
    const bool there = check_part(ModelPart::kClassifier, "classification head");
    if (!there && !options_.allow_new_head) {
      throw ModelError(
          "{}: the model has no classification head: it has not been fine-tuned yet; make one "
          "with `tandem train`",
          files_.description());
    }
    if (!there) report_.head = LoadReport::Part::kNew;
    if (report_.head == LoadReport::Part::kLoaded) return;
    for (Match& match : matches_) {
      if (match.parameter.part == ModelPart::kClassifier) match.tensor = nullptr;
    }
  }

  const WeightFiles& files_;
  const HfConfig& config_;
  const LoadOptions& options_;
  LoadReport& report_;
  std::vector<Match> matches_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

void allocate_weights(LoadedModel& model) {
  const std::int64_t bytes = model.table.floats() * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t available = available_memory_bytes();
  if (available > 0 && bytes > available) {
    throw MachineError("the model's weights take {:.1f} GB of memory, {:.1f} GB are available",
                       static_cast<double>(bytes) / 1e9, static_cast<double>(available) / 1e9);
  }
  model.memory = std::make_unique<Arena>(bytes);
  model.weights = model.memory->vector<float>(model.table.floats());
  std::fill(model.weights.begin(), model.weights.end(), 0.0F);  // for the gaps
}

// A model with a NaN in it gives NaN for every text; better to say so now.
void check_finite(const WeightFiles& files, const WeightFiles::Tensor& tensor,
                  std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000;  // all ones: infinite or not a number
  std::size_t bad = 0;
  for (const float value : values) {
    bad += (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1U : 0U;
  }
  if (bad > 0) {
    throw ModelError("{}: tensor {}: {} of {} values are not finite", files.file_name(tensor),
                     printable(tensor.info.name), bad, values.size());
  }
}

// Turns the integers of a quantised weight into the numbers they stand for.
void scale_rows(const WeightFiles& files, const Match& match, std::span<float> values) {
  std::vector<float> scales(static_cast<std::size_t>(match.scale->info.elements));
  files.read_f32(*match.scale, scales);
  const std::size_t cols = values.size() / scales.size();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= scales[i / cols];
}

void read_weights(const WeightFiles& files, std::span<const Match> matches, LoadedModel& model) {
  std::set<std::string> dtypes;
  for (const Match& match : matches) {
    if (match.tensor == nullptr) continue;
    const std::span<float> values = Gradients{model.weights}.vector(match.parameter.slice);
    files.read_f32(*match.tensor, values);
    if (match.scale != nullptr) scale_rows(files, match, values);
    check_finite(files, *match.tensor, values);
    dtypes.insert(match.tensor->info.dtype);
    if (match.parameter.part == ModelPart::kEncoder) ++model.report.encoder_tensors;
  }
  model.report.dtypes = fmt::format("{}", fmt::join(dtypes, " and "));
}

void initialize_new_parts(LoadedModel& model, std::uint64_t seed) {
  const Initialization how = initialization_of(model.config, seed);
  const auto initialize = [&](const LinearParams& part) {
    for (const ParamInfo& parameter : model.table.all()) {
      const std::int64_t offset = parameter.slice.offset;
      if (offset == part.weight.offset || offset == part.bias.offset) {
        initialize_parameter(model.weights, parameter, how);
      }
    }
  };
  if (model.report.pooler != LoadReport::Part::kLoaded) initialize(model.params.pooler);
  if (model.report.head != LoadReport::Part::kLoaded) initialize(model.params.classifier);
}

}  // namespace

LoadedModel load_model(const std::filesystem::path& directory, const LoadOptions& options) {
  LoadedModel model;
  model.config = read_hf_config(directory / kConfigFile);
  if (options.for_training && model.config.int8_weights) {
    throw ModelError(
        "{}: has 8-bit weights, which cannot be trained; train the model it was made of",
        directory.string());
  }
  std::int64_t outputs = options.outputs;
  if (outputs == 0) outputs = static_cast<std::int64_t>(model.config.labels.size());
  if (outputs == 0) {
    throw ModelError(
        "{}: {} names no labels: the model has not been fine-tuned for classification yet; make "
        "such a model with `tandem train`",
        directory.string(), kConfigFile);
  }
  const WeightFiles files = WeightFiles::open(directory);
  model.params = add_bert_params(model.table, model.config.bert, outputs);
  model.report.source = files.description();
  model.report.labels = outputs;
  model.report.architecture = model.config.architecture;
  model.report.family = model.config.bert.family;
  const std::vector<Match> matches =
      Matcher(files, model.config, options, model.report).match(model.params);
  allocate_weights(model);
  read_weights(files, matches, model);
  initialize_new_parts(model, options.seed);
  return model;
}

LoadedModel new_model(HfConfig config, std::uint64_t seed, ThreadPool& pool) {
  LoadedModel model;
  model.config = std::move(config);
  const auto outputs = static_cast<std::int64_t>(model.config.labels.size());
  model.params = add_bert_params(model.table, model.config.bert, outputs);
  model.report.labels = outputs;
  model.report.pooler = LoadReport::Part::kNew;
  model.report.head = LoadReport::Part::kNew;
  allocate_weights(model);
  initialize_parameters(model.weights, model.table, initialization_of(model.config, seed), pool);
  return model;
}

void stage_model(StagedFiles& files, const HfConfig& config, const BertParams& params,
                 std::span<const float> weights, std::span<const ModelFile> tokenizer_files) {
  const bool has_head = !config.labels.empty();
  TANDEM_CHECK(
      !has_head || params.classifier.weight.rows == static_cast<std::int64_t>(config.labels.size()),
      "{} labels, {} outputs", config.labels.size(), params.classifier.weight.rows);
  std::vector<TensorToWrite> tensors;
  std::list<QuantizedWeight> quantized;  // what the tensors' values point into
  for (HfTensor& tensor : hf_tensors(params)) {
    if (tensor.part == ModelPart::kClassifier && !has_head) continue;
    if (config.int8_weights && tensor.linear_weight) {
      const QuantizedWeight& weight =
          quantized.emplace_back(quantize_weight(Weights{weights}.matrix(tensor.slice)));
      tensors.push_back(
          TensorToWrite::f32(scale_name(tensor.name), {weight.rows, 1}, weight.scale));
      tensors.push_back(TensorToWrite::i8(tensor.name, tensor.shape, weight.values));
      continue;
    }
    tensors.push_back(TensorToWrite::f32(std::move(tensor.name), std::move(tensor.shape),
                                         Weights{weights}.vector(tensor.slice)));
  }
  stage_safetensors(files, kWeightsFile, std::move(tensors));
  for (const ModelFile& file : tokenizer_files) files.add(file.name, file.content);
  files.add(kConfigFile, hf_config_text(config));  // last: it makes the directory a model
}

}  // namespace tandem
