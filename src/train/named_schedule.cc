#include "train/named_schedule.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "formats/json.h"

namespace tandem {
namespace {

constexpr const char* kOption = "--lr-scheduler-kwargs";

struct NamedType {
  std::string_view name;
  ScheduleType type;
  std::vector<std::string> keys;  // that its kwargs may have
};

const std::vector<NamedType>& named_types() {
  static const std::vector<NamedType> kTypes = {
      {"linear", ScheduleType::kLinear, {}},
      {"cosine", ScheduleType::kCosine, {"num_cycles"}},
      {"cosine_with_restarts", ScheduleType::kCosineWithRestarts, {"num_cycles"}},
      {"polynomial", ScheduleType::kPolynomial, {"lr_end", "power"}},
      {"constant", ScheduleType::kConstant, {}},
      {"constant_with_warmup", ScheduleType::kConstantWithWarmup, {}},
      {"inverse_sqrt", ScheduleType::kInverseSqrt, {"timescale"}},
      {"warmup_stable_decay",
       ScheduleType::kWarmupStableDecay,
       {"num_decay_steps", "num_stable_steps", "warmup_type", "decay_type", "min_lr_ratio",
        "num_cycles"}}};
  return kTypes;
}

const NamedType& type_named(std::string_view name) {
  const auto found = std::ranges::find(named_types(), name, &NamedType::name);
  if (found != named_types().end()) return *found;
  const std::vector<std::string> names = schedule_names();
  throw UsageError("--lr-scheduler-type {}: there is no such schedule{}; known are {}",
                   printable(name), suggestion(name, names), fmt::join(names, ", "));
}

Ramp ramp_of(const JsonValue& value) {
  if (value.text() == "linear") return Ramp::kLinear;
  if (value.text() == "cosine") return Ramp::kCosine;
  if (value.text() == "1-sqrt") return Ramp::kOneMinusSqrt;
  value.fail_expecting("\"linear\", \"cosine\" or \"1-sqrt\"");
}

void check_keys(const JsonValue& kwargs, const NamedType& type) {
  for (const auto& [key, value] : kwargs.members()) {
    if (std::ranges::find(type.keys, key) != type.keys.end()) continue;
    if (type.keys.empty()) {
      throw UsageError("{}: schedule {} takes none, found {}", kOption, type.name, in_quotes(key));
    }
    throw UsageError("{}: schedule {} has no {}{}; it takes {}", kOption, type.name, in_quotes(key),
                     suggestion(key, type.keys), fmt::join(type.keys, ", "));
  }
}

}  // namespace

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const NamedType& type : named_types()) names.emplace_back(type.name);
  return names;
}

ScheduleShape named_schedule(std::string_view name, std::string_view kwargs) {
  const NamedType& type = type_named(name);
  ScheduleShape shape{.type = type.type,
                      .num_cycles = type.type == ScheduleType::kCosineWithRestarts ? 1 : 0.5};
  const JsonSource source{.name = kOption, .kind = ExitCode::kUsage};
  const nlohmann::json json = parse_json(kwargs.empty() ? "{}" : kwargs, source);
  const JsonValue values(json, source);
  check_keys(values, type);
  constexpr double kLargest = 1e6;
  constexpr double kLeast = 1e-6;
  constexpr std::int64_t kMostSteps = std::int64_t{1} << 40;
  const auto number = [&](const char* key, double usual, double low, double high) {
    const auto value = values.find(key);
    return value ? value->number(low, high) : usual;
  };
  const auto steps = [&](const char* key, std::int64_t low) -> std::optional<std::int64_t> {
    const auto value = values.find(key);
    if (!value) return std::nullopt;
    return value->whole_number(low, kMostSteps);
  };
  shape.num_cycles = number("num_cycles", shape.num_cycles, 0, kLargest);
  shape.lr_end = number("lr_end", shape.lr_end, 0, kLargest);
  shape.power = number("power", shape.power, kLeast, kLargest);
  shape.timescale = steps("timescale", 1);
  shape.num_decay_steps = steps("num_decay_steps", 0);
  shape.num_stable_steps = steps("num_stable_steps", 0);
  shape.min_lr_ratio = number("min_lr_ratio", shape.min_lr_ratio, 0, 1);
  if (const auto ramp = values.find("warmup_type")) shape.warmup = ramp_of(*ramp);
  if (const auto ramp = values.find("decay_type")) shape.decay = ramp_of(*ramp);
  if (type.type == ScheduleType::kWarmupStableDecay && !shape.num_decay_steps) {
    throw UsageError(
        "--lr-scheduler-type warmup_stable_decay needs num_decay_steps, as in {} "
        "'{{\"num_decay_steps\": 100}}'",
        kOption);
  }
  return shape;
}

}  // namespace tandem
