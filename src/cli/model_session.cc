#include "cli/model_session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "train/batch_step.h"

namespace tandem {
namespace {

LoadedModel load_and_say(const std::filesystem::path& directory, const LoadOptions& options,
                         LoadReporting reporting) {
  LoadedModel model = load_model(directory, options);
  if (reporting == LoadReporting::kSilent) return model;
  log_info("model {}:", directory.string());
  for (const std::string& line : model.report.lines()) log_info("  {}", line);
  return model;
}

}  // namespace

ModelSession::ModelSession(const std::filesystem::path& directory, const LabelScheme& labels,
                           const LoadOptions& options, LoadReporting reporting)
    : labels_(labels),
      tokenizer_(Tokenizer::load(directory)),
      model_(load_and_say(directory, options, reporting)) {
  check_vocabulary_fits(model_.config.bert, tokenizer_.vocabulary_size(), directory.string());
  set_label_scheme(model_.config, labels);
}

ModelSession::ModelSession(const std::filesystem::path& directory)
    : ModelSession(directory, label_scheme(read_hf_config(directory / "config.json")), {}) {}

void ModelSession::prepare(PrecisionRequest request, Compute& compute) {
  if (use_int8_weights(request, compute)) {
    make_layers(Precision::kFp32);
    quantized_ =
        std::make_unique<QuantizedWeights>(Weights{model_.weights}, encoder_weights(*classifier_));
    return;
  }
  prepare_for_training(make_precision(request, model_.config.bert, compute), compute);
}

void ModelSession::prepare_for_training(Precision precision, Compute& compute) {
  make_layers(precision);
  bf16_weights_ = make_bf16_weights(*classifier_, model_.table, model_.weights, compute.pool());
}

void ModelSession::make_layers(Precision precision) {
  classifier_.emplace(
      make_bert_classifier(model_.config.bert, model_.params, labels_.outputs(), precision));
}

void ModelSession::take_weights(const std::filesystem::path& directory, Compute& compute) {
  const LoadedModel saved = load_model(directory, {.outputs = labels_.outputs()});
  TANDEM_CHECK(saved.weights.size() == model_.weights.size(), "{} is another model",
               directory.string());
  std::ranges::copy(saved.weights, model_.weights.begin());
  // In place: a ClassifierModel may point to it.
  std::ranges::copy(make_bf16_weights(*classifier_, model_.table, model_.weights, compute.pool()),
                    bf16_weights_.begin());
}

bool ModelSession::use_int8_weights(PrecisionRequest request, const Compute& compute) const {
  if (!model_.config.int8_weights) return false;
  if (request == PrecisionRequest::kBf16) {
    log_info("8-bit weights: not multiplied as integers, because bf16 is asked for");
    return false;
  }
  if (!compute.multiplies_int8()) {
    log_info(
        "8-bit weights: not multiplied as integers, because this CPU or --kernels lacks AVX-512 "
        "VNNI or AMX");
    return false;
  }
  log_info("8-bit weights: multiplied as integers");
  return true;
}

ClassifierModel ModelSession::classifier() {
  TANDEM_CHECK(classifier_.has_value(), "prepare() comes before classifier()");
  return {.classifier = *classifier_,
          .table = model_.table,
          .weights = model_.weights,
          .bf16_weights = bf16_weights_,
          .problem = labels_.kind,
          .outputs = labels_.outputs(),
          .quantized = quantized_.get()};
}

std::int64_t ModelSession::limit_tokens(std::int64_t asked) const {
  const std::int64_t possible =
      std::min(tokenizer_.model_max_length(), model_.config.bert.max_position_embeddings);
  constexpr std::int64_t kLeast = 4;  // [CLS] a [SEP] b, with nothing left over
  if (possible < kLeast) {
    throw ModelError("the model reads {} tokens at most; at least {} are needed for a pair",
                     possible, kLeast);
  }
  if (asked > possible) {
    log_warning("--max-seq-length {} is more than the model can read; {} is used", asked, possible);
  }
  return std::min(asked, possible);
}

TokenDataset ModelSession::encode(const ExampleSet& examples, const EncodingLimits& limits,
                                  ThreadPool& pool) const {
  TokenDataset dataset = encode_examples(examples, tokenizer_, limits, pool);
  check_dataset_fits(dataset, model_.config.bert);
  const auto count = static_cast<double>(std::max<std::int64_t>(1, dataset.size()));
  const std::string divided =
      limits.long_text == LongText::kWindow
          ? fmt::format("longer than {} tokens, read in {} pieces", limits.max_tokens,
                        dataset.sequences() - dataset.size() + dataset.truncated)
          : fmt::format("cut at {} tokens", limits.max_tokens);
  log_info(
      "{}: {} examples, {} tokens ({:.1f} each), {} {}{}", dataset.source, dataset.size(),
      dataset.ids.size(), static_cast<double>(dataset.ids.size()) / count, dataset.truncated,
      divided,
      examples.empty_texts > 0 ? fmt::format(", {} with an empty text", examples.empty_texts) : "");
  return dataset;
}

Segments segments_of(const BertConfig& config) {
  return config.type_vocab_size > 0 ? Segments::kTaken : Segments::kNotTaken;
}

void ModelSession::stage(StagedFiles& files) const { stage(files, model_.weights); }

void ModelSession::stage(StagedFiles& files, std::span<const float> weights) const {
  stage_as(model_.config, weights, files);
}

void ModelSession::stage_int8(StagedFiles& files) const {
  HfConfig config = model_.config;
  config.int8_weights = true;
  stage_as(config, model_.weights, files);
}

void ModelSession::stage_as(const HfConfig& config, std::span<const float> weights,
                            StagedFiles& files) const {
  std::vector<ModelFile> tokenizer_files;
  for (Tokenizer::File& file : tokenizer_.files(segments_of(model_.config.bert))) {
    tokenizer_files.push_back({std::move(file.name), std::move(file.content)});
  }
  stage_model(files, config, model_.params, weights, tokenizer_files);
}

std::int64_t ModelSession::saved_bytes() const {
  std::int64_t bytes = 1 << 20;  // config.json, headers and results
  bytes += static_cast<std::int64_t>(model_.weights.size_bytes());
  for (const Tokenizer::File& file : tokenizer_.files(segments_of(model_.config.bert))) {
    bytes += static_cast<std::int64_t>(file.content.size());
  }
  return bytes;
}

std::int64_t ModelSession::checkpoint_bytes() const {
  return saved_bytes() + 2 * static_cast<std::int64_t>(model_.weights.size_bytes());
}

}  // namespace tandem
