#include "model/hf_config.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/printable.h"
#include "formats/json.h"
#include "model/hf_config_keys.h"
#include "model/hf_names.h"

namespace tandem {
namespace {

constexpr std::int64_t kMaxConfigBytes = std::int64_t{8} << 20;
constexpr std::int64_t kMaxLabels = 100'000;
constexpr std::array<const char*, 3> kProblemTypes{"regression", "single_label_classification",
                                                   "multi_label_classification"};

// Keys that say where a model came from, or that describe another head than the one written.
constexpr std::array<const char*, 3> kIdentityKeys{"_name_or_path", "num_labels",
                                                   "finetuning_task"};

void require_false(const JsonValue& config, const char* name) {
  const auto value = config.find(name);
  if (value && value->boolean()) value->fail("true is not supported");
}

void check_supported(const JsonValue& config) {
  for (const char* name : {"is_decoder", "add_cross_attention", "is_encoder_decoder"}) {
    require_false(config, name);
  }
  if (const auto pruned = config.find("pruned_heads"); pruned && !pruned->members().empty()) {
    pruned->fail("pruned heads are not supported");
  }
  if (const auto code = config.find("auto_map")) {
    code->fail("a model that brings its own Python code is not supported");
  }
}

// compressed-tensors' description of what `tandem quantize` writes: 8-bit integers, symmetric, a
// scale for each output of a weight and, when it comes, for each token of the activations.
nlohmann::json int8_description(ModelFamily family) {
  const nlohmann::json weights = {{"num_bits", 8},
                                  {"type", "int"},
                                  {"symmetric", true},
                                  {"dynamic", false},
                                  {"strategy", "channel"}};
  const nlohmann::json activations = {{"num_bits", 8},
                                      {"type", "int"},
                                      {"symmetric", true},
                                      {"dynamic", true},
                                      {"strategy", "token"}};
  return {
      {"quant_method", "compressed-tensors"},
      {"format", "int-quantized"},
      {"quantization_status", "compressed"},
      {"ignore", unquantized_maps(family)},
      {"config_groups",
       {{"group_0",
         {{"targets", {"Linear"}}, {"weights", weights}, {"input_activations", activations}}}}}};
}

// Whether the weights are quantised, which may be done in that one way only: what would make other
// numbers of the same integers is compared key by key.
bool read_int8_weights(const JsonValue& config, ModelFamily family) {
  const auto quantization = config.find("quantization_config");
  if (!quantization) return false;
  const nlohmann::json supported = int8_description(family);
  const nlohmann::json& expected = supported["config_groups"]["group_0"];
  const nlohmann::json& found = quantization->raw();
  const auto same = [](const nlohmann::json& value, const nlohmann::json& wanted) {
    if (!value.is_object()) return false;
    return std::ranges::all_of(wanted.items(), [&](const auto& item) {
      return value.contains(item.key()) && value[item.key()] == item.value();
    });
  };
  bool understood = found.is_object() && found.contains("config_groups") &&
                    found["config_groups"].is_object() &&
                    found.value("quant_method", "") == supported["quant_method"] &&
                    found.value("format", "") == supported["format"];
  if (understood) {
    for (const auto& group : found["config_groups"]) {
      understood =
          understood && group.is_object() && group.contains("weights") &&
          group.value("targets", nlohmann::json()) == expected["targets"] &&
          same(group["weights"], expected["weights"]) &&
          same(group.value("input_activations", nlohmann::json()), expected["input_activations"]);
    }
  }
  if (!understood) {
    quantization->fail(
        "weights quantised in this way are not supported; supported: compressed-tensors' "
        "int-quantized with 8 bits, symmetric, a scale for each channel and token, as `tandem "
        "quantize` writes it");
  }
  return true;
}

std::string number_text(std::size_t number) { return fmt::format("{}", number); }

// id2label: {"0": "negative", "1": "positive"}
std::vector<std::string> read_id2label(const JsonValue& map) {
  std::vector<std::string> labels(map.members().size());
  for (const auto& [key, name] : map.members()) {
    std::size_t id = labels.size();
    std::from_chars(key.data(), key.data() + key.size(), id);
    if (id >= labels.size() || key != number_text(id)) {
      map.fail(fmt::format("expected ids from 0 to {}, found \"{}\"", labels.size() - 1,
                           printable(key)));
    }
    labels[id] = name.text();
  }
  return labels;
}

// label2id: {"negative": 0, "positive": 1}
std::vector<std::string> read_label2id(const JsonValue& map) {
  const auto members = map.members();
  std::vector<std::string> labels(members.size());
  std::vector<bool> seen(members.size());
  for (const auto& [name, id] : members) {
    const auto i =
        static_cast<std::size_t>(id.whole_number(0, static_cast<std::int64_t>(members.size()) - 1));
    if (seen[i]) id.fail(fmt::format("id {} occurs twice", i));
    seen[i] = true;
    labels[i] = name;
  }
  return labels;
}

std::vector<std::string> read_labels(const JsonValue& config, const std::string& architecture,
                                     ModelFamily family) {
  const std::string_view classifier = identity_of(family).classifier;
  if (!architecture.empty() && architecture != classifier) return {};
  std::vector<std::string> labels;
  if (const auto map = config.find("id2label")) {
    labels = read_id2label(*map);
  } else if (const auto reverse = config.find("label2id")) {
    labels = read_label2id(*reverse);
  } else if (architecture == classifier || config.find("num_labels")) {
    const auto count = config.find("num_labels");
    const std::int64_t classes = count ? count->whole_number(1, kMaxLabels) : 2;
    for (std::int64_t i = 0; i < classes; ++i) labels.push_back(fmt::format("LABEL_{}", i));
  }
  if (static_cast<std::int64_t>(labels.size()) > kMaxLabels) {
    config.fail(fmt::format("{} labels, at most {} are supported", labels.size(), kMaxLabels));
  }
  std::vector<std::string> sorted = labels;
  std::sort(sorted.begin(), sorted.end());
  const auto same = std::adjacent_find(sorted.begin(), sorted.end());
  if (same != sorted.end()) {
    config.fail(fmt::format("id2label: the label \"{}\" occurs twice", printable(*same)));
  }
  return labels;
}

std::string read_problem_type(const JsonValue& config, std::size_t labels) {
  const auto value = config.find("problem_type");
  if (!value) return {};
  const std::string& type = value->text();
  if (std::find(kProblemTypes.begin(), kProblemTypes.end(), type) == kProblemTypes.end()) {
    value->fail_expecting(fmt::format("\"{}\"", fmt::join(kProblemTypes, "\" or \"")));
  }
  if (type == "single_label_classification" && labels == 1) {
    value->fail("single_label_classification needs 2 labels or more, found 1");
  }
  return type;
}

void write_labels(nlohmann::json& out, const HfConfig& config) {
  const FamilyIdentity& identity = identity_of(config.bert.family);
  for (const char* key : {"id2label", "label2id", "problem_type"}) out.erase(key);
  out["architectures"] = {config.labels.empty() ? identity.base_model : identity.classifier};
  if (config.labels.empty()) return;
  nlohmann::json ids = nlohmann::json::object(), names = nlohmann::json::object();
  for (std::size_t i = 0; i < config.labels.size(); ++i) {
    names[number_text(i)] = config.labels[i];
    ids[config.labels[i]] = i;
  }
  out["id2label"] = std::move(names);
  out["label2id"] = std::move(ids);
  if (!config.problem_type.empty()) out["problem_type"] = config.problem_type;
}

}  // namespace

bool HfConfig::classifies_sequences() const {
  return architecture.empty() || architecture == identity_of(bert.family).classifier;
}

HfConfig parse_hf_config(std::string_view text, const std::string& source) {
  const JsonSource where{.name = source};
  const nlohmann::json parsed = parse_json(text, where);
  const JsonValue value(parsed, where);
  HfConfig config;
  if (const auto architectures = value.find("architectures")) {
    const auto names = architectures->elements();
    if (!names.empty()) config.architecture = names.front().text();
  }
  const ModelFamily family = read_model_family(value, config.architecture);
  check_supported(value);
  config.bert = read_bert_config(value, family);
  config.int8_weights = read_int8_weights(value, family);
  config.labels = read_labels(value, config.architecture, family);
  config.problem_type = read_problem_type(value, config.labels.size());
  if (parsed.contains("pad_token_id")) {
    const auto pad = value.find("pad_token_id");
    config.pad_token_id.reset();
    if (pad) config.pad_token_id = pad->whole_number(0, config.bert.vocab_size - 1);
  }
  config.source = text;
  return config;
}

HfConfig read_hf_config(const std::filesystem::path& path) {
  const std::filesystem::path directory = path.parent_path();
  std::error_code ignored;
  if (!directory.empty() && !std::filesystem::is_directory(directory, ignored)) {
    throw ModelError(
        "{}: there is no such directory; expected one with config.json, model.safetensors and "
        "tokenizer.json or vocab.txt",
        directory.string());
  }
  return parse_hf_config(read_file(path, ExitCode::kModel, kMaxConfigBytes),
                         path.filename().string());
}

std::string hf_config_text(const HfConfig& config) {
  nlohmann::json out = parse_json(config.source, {.name = "config.json"});
  for (const char* key : kIdentityKeys) out.erase(key);
  write_bert_config(config.bert, out);
  out["pad_token_id"] = nullptr;
  if (config.pad_token_id) out["pad_token_id"] = *config.pad_token_id;
  // 4.x reads torch_dtype, 5.x dtype.
  out["dtype"] = "float32";
  out["torch_dtype"] = "float32";
  out.erase("quantization_config");
  if (config.int8_weights) out["quantization_config"] = int8_description(config.bert.family);
  write_labels(out, config);
  return python_json(out) + "\n";
}

LabelScheme label_scheme(const HfConfig& config) {
  if (config.labels.empty()) {
    throw ModelError(
        "config.json: has no labels: the model has not been fine-tuned yet; `tandem train` does "
        "that");
  }
  if (config.problem_type == "regression" && config.labels.size() != 1) {
    throw ModelError(
        "config.json: problem_type: regression with {} labels is not supported; supported: "
        "regression with 1, single_label_classification, multi_label_classification",
        config.labels.size());
  }
  if (config.problem_type == "multi_label_classification") {
    return {.kind = ProblemKind::kMultiLabel, .names = config.labels};
  }
  if (config.labels.size() == 1) return {.kind = ProblemKind::kRegression, .names = {}};
  return {.kind = ProblemKind::kSingleLabel, .names = config.labels};
}

void set_label_scheme(HfConfig& config, const LabelScheme& scheme) {
  const bool regression = scheme.kind == ProblemKind::kRegression;
  config.architecture = identity_of(config.bert.family).classifier;
  config.labels = regression ? std::vector<std::string>{"LABEL_0"} : scheme.names;
  config.problem_type = regression                                ? "regression"
                        : scheme.kind == ProblemKind::kMultiLabel ? "multi_label_classification"
                                                                  : "single_label_classification";
}

void check_vocabulary_fits(const BertConfig& config, std::int64_t vocabulary_size,
                           const std::string& tokenizer) {
  if (vocabulary_size <= config.vocab_size) return;
  throw ModelError(
      "{}: the vocabulary has {} entries, the model's embedding has only {} rows (vocab_size in "
      "config.json): the tokenizer belongs to another model",
      tokenizer, vocabulary_size, config.vocab_size);
}

}  // namespace tandem
