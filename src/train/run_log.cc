#include "train/run_log.h"

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "formats/json.h"

namespace tandem {

using nlohmann::json;

namespace {

// Counts are whole numbers in the reference's files.
bool is_count(const std::string& name) {
  return name.ends_with("_samples") || name == "total_flos" || name == "step";
}

json as_json(const std::string& name, double value) {
  if (is_count(name)) return static_cast<std::int64_t>(value);
  return value;
}

std::string displayed(const std::string& name, double value) {
  if (name.ends_with("_runtime")) {
    const auto hundredths = static_cast<std::int64_t>(std::llround(value * 100));
    return fmt::format("{}:{:02}:{:02}.{:02}", hundredths / 360000, hundredths / 6000 % 60,
                       hundredths / 100 % 60, hundredths % 100);
  }
  if (name == "total_flos") {
    return fmt::format("{}GF", static_cast<std::int64_t>(value) >> 30);
  }
  if (is_count(name)) return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", std::round(value * 1e4) / 1e4);
}

// What other phases left. A file that can't be read must not cost the results of this one.
json earlier_results(const std::filesystem::path& path) {
  constexpr std::int64_t kMaxBytes = 1 << 20;
  if (!std::filesystem::exists(path)) return json::object();
  try {
    json results = read_json_file(path, ExitCode::kUsage, kMaxBytes);
    if (results.is_object()) return results;
    log_warning("{}: is not an object; it is replaced", path.string());
  } catch (const Error& error) {
    log_warning("{}; it is replaced", error.what());
  }
  return json::object();
}

double rounded(double value, double scale) { return std::round(value * scale) / scale; }

}  // namespace

void RunLog::add_training(const TrainingEntry& entry) {
  add({{"step", entry.step},
       {"epoch", entry.epoch},
       {"loss", entry.loss},
       {"grad_norm", entry.gradient_norm},
       {"learning_rate", entry.learning_rate}});
}

void RunLog::add_results(std::int64_t step, double epoch, const Results& results) {
  add(results_entry(step, epoch, results));
}

void RunLog::add(json entry) {
  history_.push_back(std::move(entry));
  if (listener_) listener_(history_.back());
}

std::string RunLog::trainer_state(const TrainerOptions& options, const LoopOptions& loop,
                                  const Trainer& trainer, const State& state) const {
  const LoopIntervals intervals = loop_intervals(loop, trainer.total_steps());
  const json best_metric = state.best ? json(state.best->value) : json();
  const json best_step = state.best ? json(state.best->step) : json();
  const json best_checkpoint = state.best_checkpoint.empty() ? json() : json(state.best_checkpoint);
  // Where the reference keeps what it doesn't know itself: another key it would refuse.
  const json own_facts = {{"args", json::object()},
                          {"attributes", {{"precision", name_of(trainer.precision())}}}};
  const json content = {
      {"best_global_step", best_step},
      {"best_metric", best_metric},
      {"best_model_checkpoint", best_checkpoint},
      {"epoch", trainer.epoch_after(state.steps - 1)},
      {"eval_steps", intervals.eval_steps},
      {"global_step", state.steps},
      {"is_hyper_param_search", false},
      {"is_local_process_zero", true},
      {"is_world_process_zero", true},
      {"log_history", history_},
      {"logging_steps", intervals.logging_steps},
      {"max_steps", trainer.total_steps()},
      {"num_input_tokens_seen", state.tokens},
      {"num_train_epochs", static_cast<std::int64_t>(std::ceil(options.num_train_epochs))},
      {"save_steps", intervals.save_steps},
      {"stateful_callbacks", {{"Tandem", own_facts}}},
      {"total_flos", as_json("total_flos", state.total_flos)},
      {"train_batch_size", options.micro_batch_size},
      {"trial_name", nullptr},
      {"trial_params", nullptr}};
  return python_json(content, {.indent = 2}) + "\n";
}

std::string results_block(const std::string& phase, const Results& results) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const auto& [name, value] : results) {
    lines.emplace_back(name, displayed(name, value));
    name_width = std::max(name_width, name.size());
    value_width = std::max(value_width, lines.back().second.size());
  }
  std::ranges::sort(lines);
  std::string block = fmt::format("***** {} metrics *****", phase);
  for (const auto& [name, value] : lines) {
    block += fmt::format("\n  {:<{}} = {:>{}}", name, name_width, value, value_width);
  }
  return block;
}

json results_entry(std::int64_t step, double epoch, const Results& results) {
  json entry = results_object(results);
  entry["step"] = step;
  entry["epoch"] = epoch;
  return entry;
}

json results_object(const Results& results) {
  json object = json::object();
  for (const auto& [name, value] : results) object[name] = as_json(name, value);
  return object;
}

std::string results_json(const Results& results) {
  return python_json(results_object(results), {.indent = 4});
}

void stage_results(StagedFiles& files, const std::filesystem::path& directory,
                   const std::string& phase, const Results& results) {
  files.add(phase + "_results.json", results_json(results));
  json all = earlier_results(directory / "all_results.json");
  all.update(results_object(results));
  files.add("all_results.json", python_json(all, {.indent = 4}));
}

Results evaluation_results(const EvaluatedSet& set, std::span<const std::string> metrics) {
  Results results;
  for (const auto& [name, value] :
       all_metrics(metrics, judge(set.predictions, set.dataset, set.problem))) {
    results.emplace_back("eval_" + name + set.suffix, value);
  }
  results.emplace_back("eval_loss" + set.suffix,
                       mean_loss(set.predictions, set.dataset, set.problem));
  const std::int64_t batches = (set.dataset.size() + set.batch_size - 1) / set.batch_size;
  for (const auto& [name, value] :
       speed_results("eval", set.seconds, set.dataset.size(), batches)) {
    results.emplace_back(name + set.suffix, value);
  }
  return results;
}

std::vector<std::string> evaluation_result_names(std::span<const std::string> metrics,
                                                 const std::string& suffix) {
  std::vector<std::string> names(metrics.begin(), metrics.end());
  if (names.size() > 1) names.emplace_back("combined_score");
  names.emplace_back("loss");
  for (std::string& name : names) name = "eval_" + name + suffix;
  return names;
}

Results speed_results(const std::string& phase, double seconds, std::int64_t samples,
                      std::int64_t steps) {
  return {{phase + "_runtime", rounded(seconds, 1e4)},
          {phase + "_samples", static_cast<double>(samples)},
          {phase + "_samples_per_second", rounded(static_cast<double>(samples) / seconds, 1e3)},
          {phase + "_steps_per_second", rounded(static_cast<double>(steps) / seconds, 1e3)}};
}

}  // namespace tandem
