#include "report/model_card.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "formats/json.h"
#include "report/training_section.h"

namespace tandem {
namespace {

using nlohmann::json;

constexpr std::string_view kPrefix = "eval_";

// At most four decimals, as transformers shows numbers in a card.
std::string shown(double value) {
  const std::string text = python_float(value);
  const std::size_t point = text.find('.');
  const bool is_long = point != std::string::npos && text.size() - point - 1 > 4;
  return is_long && std::isfinite(value) ? fmt::format("{:.4f}", value) : text;
}

std::string shown(const json& value) {
  if (value.is_number_float()) return shown(value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "Validation Loss" for eval_loss, "Accuracy" for eval_accuracy.
std::string column_title(const std::string& key) {
  if (key == "eval_loss") return "Validation Loss";
  return metric_title(std::string_view(key).substr(kPrefix.size()));
}

using Line = std::vector<std::string>;

// A line for each evaluation before the entry that closes training, and a first one of titles.
std::vector<Line> training_lines(std::span<const json> log) {
  std::vector<Line> lines;
  std::string training_loss = "No log";
  for (const json& entry : log) {
    if (entry.contains("train_runtime")) break;
    if (entry.contains("loss")) training_loss = shown(entry["loss"]);
    if (!entry.contains("eval_loss")) continue;
    Line titles = {"Training Loss", "Epoch", "Step", "Validation Loss"};
    Line values = {training_loss, shown(entry["epoch"]), shown(entry["step"]),
                   shown(entry["eval_loss"])};
    for (const auto& [key, value] : entry.items()) {
      if (key == "eval_loss" || !key.starts_with(kPrefix) || !tells_quality(key)) continue;
      titles.push_back(column_title(key));
      values.push_back(shown(value));
    }
    if (lines.empty()) lines.push_back(titles);
    lines.push_back(std::move(values));
  }
  return lines;
}

std::string markdown_table(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (std::size_t i = 0; i < lines[l].size(); ++i) {
      text += fmt::format("| {:<{}} ", lines[l][i], widths[i]);
    }
    text += "|\n";
    if (l > 0) continue;
    for (const std::size_t width : widths) text += fmt::format("|:{:-<{}}:", "", width);
    text += "|\n";
  }
  return text;
}

// Text in a line of Markdown: what would be markup stands for itself.
std::string markdown_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ') {
      escaped += ' ';
      continue;
    }
    if (std::string_view("\\`*_{}[]<>#|!&").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string introduction(const ModelCard& card) {
  const CardMetadata& metadata = card.metadata;
  std::string text = fmt::format("\n# {}\n\n", markdown_text(metadata.model_name));
  text += fmt::format("This model is a fine-tuned version of {} on ",
                      markdown_text(metadata.base_model.empty() ? card.base : metadata.base_model));
  text +=
      metadata.results.empty()
          ? "an unknown dataset.\n"
          : fmt::format("the {} dataset.\n", markdown_text(metadata.results.front().dataset.name));
  for (const CardResult& result : metadata.results) {
    text +=
        fmt::format("It achieves the following results on {}:\n",
                    metadata.results.size() > 1
                        ? fmt::format("the evaluation set {}", markdown_text(result.dataset.split))
                        : "the evaluation set");
    for (const auto& [key, value] : result.results) {
      if (!key.starts_with(kPrefix) || !tells_quality(key)) continue;
      text += fmt::format("- {}: {}\n",
                          metric_title(std::string_view(key).substr(kPrefix.size()), result.suffix),
                          shown(value));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

CardFacts hyperparameters_of(const json& arguments, int processes, std::int64_t update_examples) {
  CardFacts facts;
  const auto add = [&](const char* name, const char* argument) {
    if (arguments.contains(argument)) facts.emplace_back(name, shown(arguments[argument]));
  };
  const auto add_unless = [&](const char* name, const char* argument, double usual) {
    const bool other = arguments.contains(argument) && arguments[argument].is_number() &&
                       arguments[argument].get<double>() != usual;
    if (other) add(name, argument);
  };
  if (arguments.contains("learning_rate")) {
    facts.emplace_back("learning_rate", python_json(arguments["learning_rate"]));
  }
  add("train_batch_size", "per_device_train_batch_size");
  add("eval_batch_size", "per_device_eval_batch_size");
  add("seed", "seed");
  if (processes > 1) {
    facts.emplace_back("distributed_type", "multi-CPU");
    facts.emplace_back("num_devices", fmt::format("{}", processes));
  }
  add_unless("gradient_accumulation_steps", "gradient_accumulation_steps", 1);
  facts.emplace_back("total_train_batch_size", fmt::format("{}", update_examples));
  const auto value = [&](const char* argument) {
    return arguments.contains(argument) ? python_json(arguments[argument]) : std::string("?");
  };
  facts.emplace_back("optimizer", fmt::format("AdamW with betas=({},{}), epsilon={} and "
                                              "weight_decay={}",
                                              value("adam_beta1"), value("adam_beta2"),
                                              value("adam_epsilon"), value("weight_decay")));
  if (arguments.contains("lr_scheduler_type")) {
    add("lr_scheduler_type", "lr_scheduler_type");
  } else {
    facts.emplace_back("lr_scheduler_type", "linear");
  }
  add_unless("lr_scheduler_warmup_steps", "warmup_steps", 0);
  add_unless("lr_scheduler_warmup_ratio", "warmup_ratio", 0);
  const bool by_steps = arguments.contains("max_steps") && arguments["max_steps"].is_number() &&
                        arguments["max_steps"].get<double>() > 0;
  add(by_steps ? "training_steps" : "num_epochs", by_steps ? "max_steps" : "num_train_epochs");
  add_unless("label_smoothing_factor", "label_smoothing_factor", 0);
  return facts;
}

std::string hub_name_of(std::string_view model_directory) {
  constexpr std::string_view kFolder = "models--";
  const std::size_t begin = model_directory.find(kFolder);
  if (begin == std::string_view::npos) return "";
  std::string_view name = model_directory.substr(begin + kFolder.size());
  name = name.substr(0, name.find('/'));
  const auto may_stand_in_a_name = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  };
  if (!std::ranges::all_of(name, may_stand_in_a_name)) return "";
  const std::size_t separator = name.find("--");
  if (separator == std::string_view::npos) return std::string(name);
  return fmt::format("{}/{}", name.substr(0, separator), name.substr(separator + 2));
}

std::string model_card(const ModelCard& card) {
  std::string text = card_front_matter(card.metadata);
  text +=
      "\n<!-- This model card has been generated by Tandem from what it knows of the run. You "
      "should "
      "probably proofread and\ncomplete it, then remove this comment. -->\n";
  text += introduction(card);
  for (const char* const heading :
       {"Model description", "Intended uses & limitations", "Training and evaluation data"}) {
    text += fmt::format("\n## {}\n\nMore information needed\n", heading);
  }
  text +=
      "\n## Training procedure\n\n### Training hyperparameters\n\nThe following hyperparameters "
      "were "
      "used during training:\n";
  for (const auto& [name, value] : card.hyperparameters) {
    text += fmt::format("- {}: {}\n", name, value);
  }
  const std::vector<Line> lines = training_lines(card.log);
  if (!lines.empty()) text += "\n### Training results\n\n" + markdown_table(lines);
  text += "\n### Framework versions\n\n";
  for (const std::string& version : card.versions) text += fmt::format("- {}\n", version);
  return text;
}

}  // namespace tandem
