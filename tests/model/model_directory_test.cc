#include "model/model_directory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "formats/safetensors.h"
#include "model/tiny_model.h"
#include "support/error_message.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::kTinyConfig;
using testing::TemporaryDirectory;
using testing::TinyTensors;

using Lines = std::vector<std::string>;

const HfConfig kTiny = parse_hf_config(kTinyConfig, "config.json");

TinyTensors tiny_tensors(std::int64_t outputs) { return TinyTensors(kTiny.bert, outputs); }

// kTinyConfig of a fine-tuned model.
std::string config_with_labels(const std::vector<std::string>& labels) {
  HfConfig config = kTiny;
  set_label_scheme(config, {.names = labels});
  return hf_config_text(config);
}

LoadedModel load(const TemporaryDirectory& directory, const TinyTensors& tensors,
                 const LoadOptions& options, std::string_view config = kTinyConfig) {
  tensors.write(directory, "model.safetensors");
  directory.write("config.json", config);
  return load_model(directory.path(), options);
}

std::string load_failure(const TinyTensors& tensors, const LoadOptions& options,
                         std::string_view config = kTinyConfig) {
  const TemporaryDirectory directory;
  const auto failure = failure_of([&] { load(directory, tensors, options, config); });
  EXPECT_EQ(failure.code, ExitCode::kModel);
  return failure.message;
}

constexpr LoadOptions kNewHead{.outputs = 2, .allow_new_head = true};

TEST(ModelDirectory, LoadsAnEncoderAndMakesANewHead) {
  const TemporaryDirectory directory;
  const LoadedModel model = load(directory, tiny_tensors(0), kNewHead);
  EXPECT_EQ(
      model.report.lines(),
      (Lines{"encoder: 37 of 37 tensors loaded from model.safetensors (F32)", "pooler: loaded",
             "classification head: new (expected: this model has not been fine-tuned yet)"}));
  EXPECT_EQ(model.config.bert.hidden_size, 8);
  EXPECT_EQ(static_cast<std::int64_t>(model.weights.size()), model.table.floats());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(model.weights.data()) % 64, 0U);
  // The key of layer 1 is the second third of the fused rows.
  const auto key = tiny_tensors(0).at("bert.encoder.layer.1.attention.self.key.weight");
  const Matrix<const float> qkv = Weights{model.weights}.matrix(model.params.layers[1].qkv.weight);
  EXPECT_EQ(qkv.rows, 24);
  for (std::int64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(qkv.row(8 + i / 8)[i % 8], key.values[static_cast<std::size_t>(i)]);
  }
  const auto head = Weights{model.weights}.vector(model.params.classifier.weight);
  EXPECT_NE(head[0], 0.0F);
  EXPECT_LT(std::abs(head[0]), 0.2F);
  EXPECT_EQ(Weights{model.weights}.vector(model.params.classifier.bias)[1], 0.0F);
}

LoadedModel random_model() {
  HfConfig config = kTiny;
  set_label_scheme(config, {.names = {"no", "yes"}});
  ThreadPool pool(1);
  return new_model(config, 7, pool);
}

void stage_int8(const LoadedModel& model, const TemporaryDirectory& directory) {
  HfConfig config = model.config;
  config.int8_weights = true;
  StagedFiles files(directory.path());
  stage_model(files, config, model.params, model.weights, {});
  files.commit();
}

TEST(ModelDirectory, EightBitWeightsAreReadAsTheNumbersTheyStandFor) {
  const TemporaryDirectory directory;
  const LoadedModel model = random_model();
  stage_int8(model, directory);
  const LoadedModel read = load_model(directory.path(), {});
  EXPECT_TRUE(read.config.int8_weights);
  EXPECT_EQ(read.report.dtypes, "F32 and I8");
  const Matrix<const float> before =
      Weights{model.weights}.matrix(model.params.layers[0].qkv.weight);
  const Matrix<const float> after = Weights{read.weights}.matrix(read.params.layers[0].qkv.weight);
  for (std::int64_t r = 0; r < before.rows; ++r) {
    float largest = 0;
    for (std::int64_t c = 0; c < before.cols; ++c) {
      largest = std::max(largest, std::abs(before.row(r)[c]));
    }
    for (std::int64_t c = 0; c < before.cols; ++c) {
      // Half a step of the 127 that the largest one is.
      EXPECT_NEAR(after.row(r)[c], before.row(r)[c], largest / 127 * 0.501F);
    }
  }
  EXPECT_EQ(Weights{read.weights}.vector(read.params.word_embeddings)[3],
            Weights{model.weights}.vector(model.params.word_embeddings)[3]);
  // Quantised again, they are the same integers.
  const TemporaryDirectory again;
  stage_int8(read, again);
  const auto integers = [](const TemporaryDirectory& where) {
    const SafetensorsFile file = SafetensorsFile::open(where.path() / "model.safetensors");
    std::vector<float> all;
    for (const TensorInfo& tensor : file.header().tensors) {
      if (tensor.dtype != "I8") continue;
      std::vector<float> values(static_cast<std::size_t>(tensor.elements));
      file.read_f32(tensor, values);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  EXPECT_EQ(integers(again), integers(directory));
  EXPECT_EQ(std::ranges::max(integers(directory)), 127);
}

TEST(ModelDirectory, EightBitWeightsNeedTheirScales) {
  const TemporaryDirectory directory;
  const LoadedModel model = random_model();
  stage_int8(model, directory);
  HfConfig config = model.config;  // which doesn't say that the weights are quantised
  directory.write("config.json", hf_config_text(config));
  const auto failure = failure_of([&] { load_model(directory.path(), {}); });
  EXPECT_EQ(failure.code, ExitCode::kModel);
  EXPECT_EQ(failure.message,
            "model.safetensors: tensor bert.encoder.layer.0.attention.self.query.weight: type I8 "
            "without scales; expected I8 with a tensor "
            "bert.encoder.layer.0.attention.self.query.weight_scale, or floats without");
}

TEST(ModelDirectory, GapsBetweenParametersAreZero) {
  const TemporaryDirectory directory;
  const LoadedModel model = load(directory, tiny_tensors(0), kNewHead);
  std::vector<bool> used(model.weights.size());
  for (const ParamInfo& parameter : model.table.all()) {
    for (std::int64_t i = 0; i < parameter.slice.size(); ++i) {
      used[static_cast<std::size_t>(parameter.slice.offset + i)] = true;
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    EXPECT_TRUE(used[i] || model.weights[i] == 0.0F) << i;
  }
}

TEST(ModelDirectory, UnderstandsTheNamesOfTheHubsFiles) {
  TinyTensors tensors = tiny_tensors(0);
  for (auto& tensor : tensors.tensors) {
    tensor.name = tensor.name.substr(5);  // without "bert."
    const std::size_t norm = tensor.name.find("LayerNorm.");
    if (norm == tensor.name.npos) continue;
    const bool weight = tensor.name.ends_with("weight");
    tensor.name = tensor.name.substr(0, norm) + (weight ? "LayerNorm.gamma" : "LayerNorm.beta");
  }
  tensors.add("embeddings.position_ids", {1, 6});
  tensors.add("cls.predictions.bias", {11});
  tensors.add("cls.seq_relationship.weight", {2, 8});
  tensors.add("encoder.extra", {1});
  const TemporaryDirectory directory, plain;
  const LoadedModel model = load(directory, tensors, kNewHead);
  EXPECT_EQ(model.report.lines()[3], "ignored: 2 tensors of pre-training heads (expected)");
  EXPECT_EQ(model.report.lines()[4], "ignored: 1 tensor of position or segment numbers (expected)");
  EXPECT_EQ(model.report.lines()[5],
            "ignored: 1 tensor unknown to BERT: encoder.extra (unexpected: is config.json this "
            "model's?)");
  const LoadedModel same = load(plain, tiny_tensors(0), kNewHead);
  EXPECT_TRUE(std::equal(model.weights.begin(), model.weights.end(), same.weights.begin()));
}

TEST(ModelDirectory, LoadsItsHeadAndRefusesOneOfOtherLabels) {
  const TemporaryDirectory directory;
  const std::string three = config_with_labels({"a", "b", "c"});
  const LoadedModel model = load(directory, tiny_tensors(3), {}, three);
  EXPECT_EQ(model.report.lines()[2], "classification head: loaded (3 outputs)");
  EXPECT_EQ(model.config.labels, (Lines{"a", "b", "c"}));
  EXPECT_EQ(Weights{model.weights}.vector(model.params.classifier.weight)[1],
            tiny_tensors(3).at("classifier.weight").values[1]);
  EXPECT_EQ(load_failure(tiny_tensors(3), kNewHead, three),
            "model.safetensors: tensor classifier.bias has shape [3], this task's labels need [2]: "
            "the model was fine-tuned for others; give --ignore-mismatched-sizes to train a new "
            "classification head");
  const LoadedModel replaced =
      load(directory, tiny_tensors(3), {.outputs = 2, .ignore_mismatched_sizes = true}, three);
  EXPECT_EQ(replaced.report.lines()[2],
            "classification head: new, with 2 outputs (expected: --ignore-mismatched-sizes drops "
            "the old one)");
  EXPECT_EQ(Weights{replaced.weights}.vector(replaced.params.classifier.bias)[0], 0.0F);
}

TEST(ModelDirectory, RefusesAModelWithoutAHeadWhereOneIsNeeded) {
  const TemporaryDirectory directory;
  EXPECT_EQ(failure_of([&] { load(directory, tiny_tensors(0), {}); }).message,
            directory.path().string() +
                ": config.json names no labels: the model has not been fine-tuned for "
                "classification yet; make such a model with `tandem train`");
  EXPECT_EQ(load_failure(tiny_tensors(0), {.outputs = 2}),
            "model.safetensors: the model has no classification head: it has not been fine-tuned "
            "yet; make one with `tandem train`");
}

TEST(ModelDirectory, DoesNotTakeAnotherTasksHeadForItsOwn) {
  std::string config = kTinyConfig;
  config.replace(config.find("BertModel"), 9, "BertForTokenClassification");
  const TemporaryDirectory directory;
  const LoadedModel model = load(directory, tiny_tensors(2), kNewHead, config);
  EXPECT_EQ(model.report.lines()[2],
            "classification head: new (expected: this model has not been fine-tuned yet)");
  EXPECT_EQ(model.report.lines()[3],
            "ignored: 2 tensors of another task's head, BertForTokenClassification (expected)");
}

TEST(ModelDirectory, MakesAPoolerWhereThereIsNone) {
  TinyTensors tensors = tiny_tensors(0);
  tensors.remove("bert.pooler.dense.bias");
  EXPECT_EQ(load_failure(tensors, kNewHead),
            "model.safetensors: 1 of 2 tensors of the pooler are missing: bert.pooler.dense.bias");
  tensors.remove("bert.pooler.dense.weight");
  const TemporaryDirectory directory;
  const LoadedModel model = load(directory, tensors, kNewHead);
  EXPECT_EQ(model.report.lines()[1], "pooler: new (expected: this model was trained without one)");
  EXPECT_NE(Weights{model.weights}.vector(model.params.pooler.weight)[0], 0.0F);
}

TEST(ModelDirectory, NamesMissingTensors) {
  TinyTensors tensors = tiny_tensors(0);
  tensors.remove("bert.encoder.layer.1.output.dense.bias");
  EXPECT_EQ(load_failure(tensors, kNewHead),
            "model.safetensors: 1 of 37 tensors of the encoder are missing: "
            "bert.encoder.layer.1.output.dense.bias");
  tensors.tensors.resize(2);
  EXPECT_EQ(load_failure(tensors, kNewHead),
            "model.safetensors: 35 of 37 tensors of the encoder are missing: "
            "bert.embeddings.token_type_embeddings.weight, bert.embeddings.LayerNorm.weight, "
            "bert.embeddings.LayerNorm.bias, ...");
}

TEST(ModelDirectory, NamesATensorOfAnotherShapeWithBothShapes) {
  TinyTensors tensors = tiny_tensors(0);
  tensors.remove("bert.pooler.dense.weight");
  tensors.add("pooler.dense.weight", {8, 10});
  EXPECT_EQ(load_failure(tensors, kNewHead),
            "model.safetensors: tensor pooler.dense.weight has shape [8, 10], config.json implies "
            "[8, 8]");
  tensors.add("bert.encoder.layer.0.output.dense.bias", {8});
  tensors.tensors.back().name = "encoder.layer.0.output.dense.bias";
  EXPECT_EQ(load_failure(tensors, kNewHead),
            "model.safetensors: tensors bert.encoder.layer.0.output.dense.bias and "
            "encoder.layer.0.output.dense.bias are the same parameter");
}

TEST(ModelDirectory, RefusesValuesThatAreNotFinite) {
  TinyTensors tensors = tiny_tensors(0);
  auto& values = tensors.at("bert.encoder.layer.0.intermediate.dense.weight").values;
  values[3] = std::numeric_limits<float>::quiet_NaN();
  values[7] = -std::numeric_limits<float>::infinity();
  values[8] = std::numeric_limits<float>::max();
  EXPECT_EQ(load_failure(tensors, kNewHead),
            "model.safetensors: tensor bert.encoder.layer.0.intermediate.dense.weight: 2 of 96 "
            "values are not finite");
}

TEST(ModelDirectory, SavesWhatItLoads) {
  const TemporaryDirectory directory, saved;
  const LoadedModel model = load(directory, tiny_tensors(0), kNewHead);
  HfConfig config = model.config;
  set_label_scheme(config, {.names = {"no", "yes"}});
  StagedFiles files(saved.path());
  const std::vector<ModelFile> tokenizer{{"vocab.txt", "[PAD]\n"}, {"tokenizer.json", "{}"}};
  stage_model(files, config, model.params, model.weights, tokenizer);
  files.commit();
  EXPECT_EQ(read_file(saved.path() / "vocab.txt", ExitCode::kModel, 100), "[PAD]\n");
  const LoadedModel again = load_model(saved.path(), {});
  EXPECT_EQ(again.config.labels, (Lines{"no", "yes"}));
  EXPECT_EQ(again.report.lines()[2], "classification head: loaded (2 outputs)");
  ASSERT_EQ(again.weights.size(), model.weights.size());
  EXPECT_TRUE(std::equal(again.weights.begin(), again.weights.end(), model.weights.begin()));
}

TEST(ModelDirectory, MakesAndSavesARandomModelWithoutAHead) {
  const TemporaryDirectory directory;
  ThreadPool pool(2);
  const LoadedModel model = new_model(kTiny, 7, pool);
  StagedFiles files(directory.path());
  stage_model(files, model.config, model.params, model.weights, {});
  files.commit();
  const LoadedModel loaded = load_model(directory.path(), kNewHead);
  EXPECT_EQ(loaded.report.lines()[2],
            "classification head: new (expected: this model has not been fine-tuned yet)");
  const auto words = [](const LoadedModel& from) {
    const auto values = Weights{from.weights}.vector(from.params.word_embeddings);
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_EQ(words(loaded), words(model));
}

TEST(ModelDirectory, SaysWhenTheWeightsDoNotFitInMemory) {
  HfConfig config = kTiny;
  config.bert.vocab_size = 10'000'000;
  config.bert.hidden_size = 65'536;
  ThreadPool pool(2);
  const auto failure = failure_of([&] { new_model(config, 7, pool); });
  EXPECT_EQ(failure.code, ExitCode::kMachine);
  EXPECT_TRUE(failure.message.starts_with("the model's weights take 2776.1 GB of memory, "))
      << failure.message;
}

}  // namespace
}  // namespace tandem
