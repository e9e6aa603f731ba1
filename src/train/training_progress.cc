#include "train/training_progress.h"

#include <cmath>
#include <limits>

#include "formats/file_format.h"

namespace tandem {
namespace {

using nlohmann::json;

constexpr std::int64_t kFormat = 1;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kNotFinite[] = {"NaN", "Infinity", "-Infinity"};

// JSON has no number for what isn't finite.
json number_json(double value) {
  if (std::isfinite(value)) return value;
  return python_float(value);
}

double number_of(const JsonValue& value) {
  if (!value.is_text()) {
    return value.number(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
  }
  if (value.text() == kNotFinite[0]) return std::numeric_limits<double>::quiet_NaN();
  if (value.text() == kNotFinite[1]) return std::numeric_limits<double>::infinity();
  if (value.text() == kNotFinite[2]) return -std::numeric_limits<double>::infinity();
  value.fail_expecting("a number");
}

std::int64_t count_of(const JsonValue& object, const char* key) {
  return object.at(key).whole_number(0, kMost);
}

json sum_json(const RunningMean& loss) {
  return {{"sum", number_json(loss.sum)}, {"updates", loss.count}};
}

RunningMean sum_of(const JsonValue& value) {
  return {.sum = number_of(value.at("sum")), .count = count_of(value, "updates")};
}

json point_json(const TrainingCurve::Point& point) {
  return {number_json(point.step), number_json(point.loss), number_json(point.gradient_norm),
          number_json(point.learning_rate)};
}

TrainingCurve::Point point_of(const JsonValue& value) {
  const std::vector<JsonValue> numbers = value.elements();
  if (numbers.size() != 4) value.fail_expecting("four numbers");
  return {.step = number_of(numbers[0]),
          .loss = number_of(numbers[1]),
          .gradient_norm = number_of(numbers[2]),
          .learning_rate = number_of(numbers[3])};
}

json curve_json(const TrainingCurve& curve) {
  const TrainingCurve::State& state = curve.state();
  json points = json::array();
  for (const TrainingCurve::Point& point : state.complete) points.push_back(point_json(point));
  return {{"points", std::move(points)},
          {"sum", point_json(state.sum)},
          {"updates_of_last", state.updates_of_last},
          {"updates_of_point", state.updates_of_point}};
}

TrainingCurve curve_of(const JsonValue& value) {
  TrainingCurve::State state{
      .updates_of_point = value.at("updates_of_point").whole_number(1, kMost),
      .updates_of_last = count_of(value, "updates_of_last"),
      .complete = {},
      .sum = point_of(value.at("sum"))};
  for (const JsonValue& point : value.at("points").elements()) {
    state.complete.push_back(point_of(point));
  }
  if (state.complete.size() >= TrainingCurve::kMostPoints) {
    value.at("points").fail_expecting(
        fmt::format("fewer than {} points", TrainingCurve::kMostPoints));
  }
  return TrainingCurve(std::move(state));
}

json progress_json(const TrainingProgress& progress) {
  const std::optional<BestEvaluation>& best = progress.best.evaluation;
  json object = {{"steps", progress.steps},
                 {"examples", progress.examples},
                 {"tokens", progress.tokens},
                 {"seconds", number_json(progress.seconds)},
                 {"gradient_norm", number_json(progress.gradient_norm)},
                 {"learning_rate", number_json(progress.learning_rate)},
                 {"loss", sum_json(progress.all)},
                 {"loss_since_entry", sum_json(progress.since_entry)},
                 {"loss_since_evaluation", sum_json(progress.since_evaluation)},
                 {"evaluations_without_a_better", progress.best.evaluations_without_a_better},
                 {"saved_before", progress.saved_before},
                 {"settled", progress.settled},
                 {"curve", curve_json(progress.curve)}};
  if (best) object["best"] = {{"step", best->step}, {"value", number_json(best->value)}};
  if (progress.best_checkpoint) object["best_checkpoint"] = *progress.best_checkpoint;
  return object;
}

TrainingProgress progress_of(const JsonValue& value) {
  TrainingProgress progress{
      .steps = count_of(value, "steps"),
      .examples = count_of(value, "examples"),
      .tokens = count_of(value, "tokens"),
      .seconds = number_of(value.at("seconds")),
      .gradient_norm = number_of(value.at("gradient_norm")),
      .learning_rate = number_of(value.at("learning_rate")),
      .all = sum_of(value.at("loss")),
      .since_entry = sum_of(value.at("loss_since_entry")),
      .since_evaluation = sum_of(value.at("loss_since_evaluation")),
      .best = {.evaluation = {},
               .evaluations_without_a_better = count_of(value, "evaluations_without_a_better")},
      .best_checkpoint = {},
      .saved_before = value.at("saved_before").boolean(),
      .settled = value.at("settled").boolean(),
      .curve = curve_of(value.at("curve"))};
  if (const auto best = value.find("best")) {
    progress.best.evaluation = {.step = count_of(*best, "step"),
                                .value = number_of(best->at("value"))};
  }
  if (value.find("best_checkpoint")) progress.best_checkpoint = count_of(value, "best_checkpoint");
  return progress;
}

json computed_by_json(const ComputedBy& by) {
  return {{"program", by.program},
          {"kernels", by.kernels},
          {"precision", by.precision},
          {"ranks", by.ranks}};
}

ComputedBy computed_by_of(const JsonValue& value) {
  return {.program = value.at("program").text(),
          .kernels = value.at("kernels").text(),
          .precision = value.at("precision").text(),
          .ranks = value.at("ranks").whole_number(1, kMost)};
}

json entry_json(const json& entry) {
  json strict = entry;
  for (auto& [name, value] : strict.items()) {
    if (value.is_number_float()) value = number_json(value.get<double>());
  }
  return strict;
}

json entry_of(const JsonValue& value) {
  json entry = json::object();
  for (const auto& [name, number] : value.members()) {
    entry[name] = number.raw().is_number_integer() ? number.raw() : json(number_of(number));
  }
  return entry;
}

}  // namespace

std::string ComputedBy::text() const {
  return fmt::format("tandem {}, kernels {}, {}, {} rank{}", program, kernels, precision, ranks,
                     ranks == 1 ? "" : "s");
}

std::string training_progress_text(const SavedTraining& training) {
  json log = json::array();
  for (const json& entry : training.log) log.push_back(entry_json(entry));
  const json content = {{"format", kFormat},
                        {"progress", progress_json(training.progress)},
                        {"computed_by", computed_by_json(training.computed_by)},
                        {"batch_size", training.batch_size},
                        {"data", training.data},
                        {"log_history", std::move(log)}};
  return python_json(content, {.indent = 2}) + "\n";
}

SavedTraining parse_training_progress(std::string_view text, const std::string& source) {
  const JsonSource from{.name = source};
  const json content = parse_json(text, from);
  const JsonValue file(content, from);
  check_file_format(file, kFormat);
  SavedTraining training{.progress = progress_of(file.at("progress")),
                         .computed_by = computed_by_of(file.at("computed_by")),
                         .batch_size = file.at("batch_size").whole_number(1, kMost),
                         .data = file.at("data").text(),
                         .log = {}};
  for (const JsonValue& entry : file.at("log_history").elements()) {
    training.log.push_back(entry_of(entry));
  }
  return training;
}

}  // namespace tandem
