#include "report/card_metadata.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "formats/json.h"

namespace tandem {
namespace {

// Names of metrics here and as the hub's tags.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kTags = {
    {{"accuracy", "accuracy"},
     {"f1", "f1"},
     {"matthews_correlation", "matthews_correlation"},
     {"pearson", "pearsonr"},
     {"spearmanr", "spearmanr"},
     {"precision", "precision"},
     {"recall", "recall"}}};

// The tag says nothing of how a metric is averaged; its name in the card does.
std::string_view tag_of(std::string_view metric) {
  for (const std::string_view averaging : {"_micro", "_macro"}) {
    if (metric.ends_with(averaging)) metric.remove_suffix(averaging.size());
  }
  const auto* const found =
      std::ranges::find(kTags, metric, &std::pair<std::string_view, std::string_view>::first);
  return found == kTags.end() ? std::string_view() : found->second;
}

struct TaggedMetric {
  std::string title;
  std::string_view tag;
  double value;
};

std::vector<TaggedMetric> tagged_metrics(const CardResult& result) {
  std::vector<TaggedMetric> metrics;
  for (const auto& [key, value] : result.results) {
    constexpr std::string_view kPrefix = "eval_";
    std::string_view name = key;
    if (!name.starts_with(kPrefix) || !name.ends_with(result.suffix)) continue;
    name.remove_prefix(kPrefix.size());
    name.remove_suffix(result.suffix.size());
    const std::string_view tag = tag_of(name);
    // YAML's .nan is refused by the hub.
    if (tag.empty() || !std::isfinite(value)) continue;
    metrics.push_back({metric_title(name), tag, value});
  }
  return metrics;
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' ||
         c == '-';
}

// What YAML 1.1 takes for a number, a truth value or nothing.
bool is_something_else(std::string_view word) {
  if (std::isalpha(static_cast<unsigned char>(word.front())) == 0) return true;
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* const reserved : {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}) {
    if (lower == reserved) return true;
  }
  return false;
}

std::string list(std::string_view key, const std::vector<std::string_view>& values) {
  std::string text = fmt::format("{}:\n", key);
  for (const std::string_view value : values) text += fmt::format("- {}\n", yaml_text(value));
  return text;
}

std::string field(std::string_view indent, std::string_view key, std::string_view value) {
  return value.empty() ? "" : fmt::format("{}{}: {}\n", indent, key, yaml_text(value));
}

std::string result_entry(const CardResult& result, const std::vector<TaggedMetric>& metrics) {
  constexpr std::string_view kIndent = "      ";
  const CardDataset& dataset = result.dataset;
  std::string text =
      "  - task:\n      name: Text Classification\n      type: text-classification\n"
      "    dataset:\n";
  text += field(kIndent, "name", dataset.name) + field(kIndent, "type", dataset.type) +
          field(kIndent, "config", dataset.config) + field(kIndent, "split", dataset.split) +
          field(kIndent, "args", dataset.arguments) + "    metrics:\n";
  for (const TaggedMetric& metric : metrics) {
    text += fmt::format("    - name: {}\n      type: {}\n      value: {}\n", metric.title,
                        metric.tag, python_float(metric.value));
  }
  return text;
}

}  // namespace

std::string metric_title(std::string_view metric, std::string_view suffix) {
  if (metric.ends_with(suffix)) metric.remove_suffix(suffix.size());
  std::string title;
  bool first = true;
  for (const char c : metric) {
    title += c == '_' ? ' '
             : first  ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                      : c;
    first = c == '_';
  }
  return title;
}

std::string yaml_text(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_word_character) && !is_something_else(text)) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::optional<DecodedCodePoint> decoded = decode_utf8(text, i);
    const char32_t c = decoded ? decoded->code_point : U'\uFFFD';
    i += decoded ? decoded->bytes : 1;
    if (c == U'"' || c == U'\\') {
      quoted += {'\\', static_cast<char>(c)};
    } else if (c >= U' ' && c < U'\x7f') {
      quoted += static_cast<char>(c);
    } else {
      quoted += fmt::format("\\U{:08X}", static_cast<std::uint32_t>(c));
    }
  }
  return quoted + "\"";
}

std::string card_front_matter(const CardMetadata& metadata) {
  std::vector<std::string_view> datasets, tags;
  std::string results;
  const auto add_once = [](std::vector<std::string_view>& names, std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const CardResult& result : metadata.results) {
    const std::vector<TaggedMetric> metrics = tagged_metrics(result);
    // The hub takes no result without a metric.
    if (metrics.empty()) continue;
    results += result_entry(result, metrics);
    if (result.dataset.type != "unknown") add_once(datasets, result.dataset.type);
    for (const TaggedMetric& metric : metrics) add_once(tags, metric.tag);
  }
  std::string text = "---\nlibrary_name: transformers\n";
  if (!metadata.language.empty()) text += list("language", {metadata.language});
  text += field("", "base_model", metadata.base_model);
  text += list("tags", {"generated_from_trainer", "tandem"});
  if (!datasets.empty()) text += list("datasets", datasets);
  if (!tags.empty()) text += list("metrics", tags);
  text += fmt::format("model-index:\n- name: {}\n  results:{}", yaml_text(metadata.model_name),
                      results.empty() ? " []\n" : "\n" + results);
  return text + "---\n";
}

}  // namespace tandem
