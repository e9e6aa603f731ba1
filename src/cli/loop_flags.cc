#include "cli/loop_flags.h"

#include <cmath>
#include <optional>

#include <fmt/ranges.h>

#include "data/number.h"

namespace tandem {
namespace {

// CLI11's own say the largest double with all of its digits.
CLI::Validator above_zero() {
  return CLI::Validator(
      [](const std::string& text) {
        const std::optional<double> number = parse_number(text);
        return number && *number > 0 ? "" : text + ": expected a number above 0";
      },
      "");
}

CLI::Validator at_least_zero() {
  return CLI::Validator(
      [](const std::string& text) {
        const std::optional<double> number = parse_number(text);
        return number && *number >= 0 ? "" : text + ": expected a number, 0 or above";
      },
      "");
}

// A whole number of updates, or below 1 a share of all.
CLI::Validator updates(double least) {
  return CLI::Validator(
      [least](const std::string& text) {
        const std::optional<double> number = parse_number(text);
        constexpr double kMost = 1e12;
        const bool fits = number && *number >= least && *number <= kMost;
        return fits && (*number < 1 || *number == std::floor(*number))
                   ? ""
                   : text + ": expected a whole number of updates, or a share of all below 1";
      },
      "");
}

constexpr double kLeastShare = 1e-9;

void add_strategy(CLI::App& command, const std::string& group, const char* names,
                  IntervalStrategy& strategy, const std::vector<std::string>& known,
                  const char* what) {
  command
      .add_option_function<std::string>(
          names, [&strategy](const std::string& name) { strategy = strategy_named(name); },
          fmt::format("{}: {}", what, fmt::join(known, ", ")))
      ->check(CLI::IsMember(known))
      ->default_str(std::string(name_of(strategy)))
      ->group(group);
}

void add_checkpoint_flags(CLI::App& command, LoopOptions& loop) {
  const std::string kGroup = "Checkpoints and the best model";
  const auto option = [&](const char* names, auto& value, const char* help) {
    return command.add_option(names, value, help)->group(kGroup);
  };
  add_strategy(command, kGroup, "--save-strategy", loop.save_strategy,
               {"no", "steps", "epoch", "best"}, "write checkpoint-<step>");
  option("--save-steps", loop.save_steps,
         "updates between two checkpoints, or below 1 a share of all")
      ->check(updates(kLeastShare))
      ->capture_default_str();
  option("--save-total-limit", loop.save_total_limit,
         "checkpoints to keep, the newest and the best in any case; 0: all")
      ->capture_default_str();
  command
      .add_flag("--load-best-model-at-end", loop.load_best_model_at_end,
                "end with the model of the best evaluation")
      ->group(kGroup);
  option("--metric-for-best-model", loop.metric_for_best_model,
         "which of an evaluation's results decides; loss if not given")
      ->option_text("NAME");
  command
      .add_flag_function(
          "--greater-is-better",
          [&loop](std::int64_t count) { loop.greater_is_better = count > 0; },
          "whether its largest value is the best; known by its name if not given")
      ->group(kGroup);
  option("--early-stopping-patience", loop.early_stopping_patience,
         "end after so many evaluations that weren't better; 0: never")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 30))
      ->capture_default_str();
  option("--early-stopping-threshold", loop.early_stopping_threshold,
         "what is better by less doesn't count")
      ->check(at_least_zero())
      ->capture_default_str();
}

}  // namespace

void add_optimizer_flags(CLI::App& command, TrainFlags& flags) {
  constexpr const char* kGroup = "Training";
  TrainerOptions& trainer = flags.trainer;
  const auto option = [&](const char* names, auto& value, const char* help) {
    return command.add_option(names, value, help)->capture_default_str()->group(kGroup);
  };
  const CLI::Range counts(std::int64_t{1}, std::int64_t{1} << 30);
  option("--per-device-train-batch-size,--batch-size", trainer.micro_batch_size,
         "examples at a time")
      ->check(counts);
  option("--gradient-accumulation-steps", trainer.gradient_accumulation_steps,
         "batches of an update")
      ->check(counts);
  option("--num-train-epochs,--epochs", trainer.num_train_epochs, "passes over the rows")
      ->check(above_zero());
  option("--max-steps", trainer.max_steps, "updates; overrides the epochs when positive");
  option("--learning-rate,--lr", trainer.learning_rate, "AdamW's, at its peak")
      ->check(at_least_zero());
  option("--lr-scheduler-type", flags.lr_scheduler_type,
         "how the rate changes: linear, cosine, cosine_with_restarts, polynomial, constant, "
         "constant_with_warmup, inverse_sqrt, warmup_stable_decay")
      ->option_text("NAME");
  option("--lr-scheduler-kwargs", flags.lr_scheduler_kwargs,
         "what else the schedule takes, as in '{\"num_cycles\": 2}'")
      ->option_text("JSON");
  option("--warmup-steps", trainer.warmup_steps,
         "updates of linear warm-up, or below 1 a share of all")
      ->check(updates(0));
  option("--warmup-ratio", trainer.warmup_ratio, "the same as a share of all updates")
      ->check(CLI::Range(0.0, 1.0));
  option("--weight-decay", trainer.adamw.weight_decay, "not for biases and LayerNorm")
      ->check(at_least_zero());
  option("--adam-beta1", trainer.adamw.beta1, "AdamW's, below 1")->check(CLI::Range(0.0, 0.999999));
  option("--adam-beta2", trainer.adamw.beta2, "AdamW's, below 1")->check(CLI::Range(0.0, 0.999999));
  option("--adam-epsilon", trainer.adamw.epsilon, "AdamW's")->check(above_zero());
  option("--max-grad-norm", trainer.max_grad_norm, "clip to this global norm; 0 means never")
      ->check(at_least_zero());
  option("--label-smoothing-factor", trainer.label_smoothing,
         "share of each label that all labels get evenly")
      ->check(CLI::Range(0.0, 0.999999));
  option("--seed", trainer.seed, "of the order of rows, dropout and a new head");
  command
      .add_flag("--dataloader-drop-last", trainer.drop_last,
                "leave out an epoch's last, smaller batch")
      ->group(kGroup);
}

void add_loop_flags(CLI::App& command, TrainFlags& flags) {
  const std::string kGroup = "Evaluation and logging";
  LoopOptions& loop = flags.loop;
  const std::vector<std::string> usual = {"no", "steps", "epoch"};
  const auto option = [&](const char* names, auto& value, const char* help) {
    return command.add_option(names, value, help)->group(kGroup);
  };
  add_strategy(command, kGroup, "--eval-strategy,--evaluation-strategy", loop.eval_strategy, usual,
               "evaluate while training");
  option("--eval-steps", loop.eval_steps,
         "updates between two evaluations, or below 1 a share of all; as --logging-steps if not "
         "given")
      ->check(updates(kLeastShare));
  option("--eval-delay", loop.eval_delay, "no evaluation before so many updates, or epochs")
      ->check(at_least_zero())
      ->capture_default_str();
  option("--per-device-eval-batch-size", flags.eval_batch_size, "examples at a time")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->capture_default_str();
  add_strategy(command, kGroup, "--logging-strategy", loop.logging_strategy, usual,
               "make an entry in the log");
  option("--logging-steps", loop.logging_steps,
         "updates of an entry in the log, or below 1 a share of all")
      ->check(updates(kLeastShare))
      ->capture_default_str();
  command.add_flag("--logging-first-step", loop.logging_first_step, "make one of the first update")
      ->group(kGroup);
  option("--speed-report", flags.speed_report,
         "write what a step's time went into, for each process, as JSON")
      ->option_text("FILE");
  add_checkpoint_flags(command, loop);
}

void add_series_flags(CLI::App& command, TrainFlags& flags) {
  constexpr const char* kGroup = "Several trainings";
  command
      .add_option("--seeds", flags.seeds,
                  "train so often, with --seed, the next one, ...; the best model is kept as the "
                  "output directory's")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--autotune", flags.autotune,
                  "search learning rate, batch and epochs for so long: 90s, 10m, 2h")
      ->option_text("TIME")
      ->group(kGroup);
}

}  // namespace tandem
