#include "cli/shared_flags.h"

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cpu.h"
#include "base/log.h"
#include "nn/onednn.h"

namespace tandem {
namespace {

constexpr const char* kGroup = "Machine";

std::optional<std::string> if_given(const std::string& value) {
  return value.empty() ? std::nullopt : std::optional(value);
}

}  // namespace

void add_compute_flags(CLI::App& command, ComputeFlags& flags) {
  command.add_option("--threads", flags.threads, "compute threads; 0 means one a usable core")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--kernels", flags.kernels,
                  "instruction set: auto, avx512, avx2 or reference (slow; for tiny models)")
      ->capture_default_str()
      ->group(kGroup);
  const std::map<std::string, PrecisionRequest> requests = {{"auto", PrecisionRequest::kAuto},
                                                            {"fp32", PrecisionRequest::kFp32},
                                                            {"bf16", PrecisionRequest::kBf16}};
  command
      .add_option_function<std::string>(
          "--precision",
          [&flags, requests](const std::string& name) { flags.precision = requests.at(name); },
          "of activations and products: fp32, bf16, or auto, bf16 where the CPU multiplies it; "
          "8-bit "
          "models: auto and fp32 multiply integers")
      ->check(CLI::IsMember({"auto", "fp32", "bf16"}))
      ->default_str("auto")
      ->group(kGroup);
}

Precision make_precision(PrecisionRequest request, const BertConfig& config, Compute& compute) {
  const PrecisionChoice choice =
      choose_precision(request, config.hidden_size, config.intermediate_size, compute);
  const std::string_view name = name_of(choice.precision);
  if (choice.bf16_speed) {
    log_info("precision: {}; products of bf16 are {:.2f} times as fast as those of fp32 here", name,
             *choice.bf16_speed);
  } else {
    log_info(
        "precision: {}{}", name,
        request == PrecisionRequest::kAuto ? "; this CPU, or --kernels, multiplies no bf16" : "");
  }
  if (choice.precision == Precision::kBf16 && choice.bf16_speed.value_or(0) < 1) {
    log_warning("bf16 is no faster than fp32 on this machine; --precision fp32 is better here");
  }
  return choice.precision;
}

Compute make_compute(const ComputeFlags& flags, int usual_threads) {
  const CpuLimits limits = cpu_limits();
  const int of_job = usual_threads > 0 ? usual_threads : limits.usable_cores();
  const int threads = flags.threads > 0 ? flags.threads : of_job;
  const std::vector<std::vector<int>> cpus = limits.cpus_to_pin(threads);
  log_info("machine: {}, {} thread{} of {} usable core{}{}, kernels {}, oneDNN {}",
           cpu_model_name(), threads, threads == 1 ? "" : "s", limits.usable_cores(),
           limits.usable_cores() == 1 ? "" : "s", cpus.empty() ? "" : ", pinned",
           kernels::choose_table(flags.kernels).name, onednn_version());
  if (flags.kernels == "auto" && &kernels::choose_table("auto") == &kernels::reference_table()) {
    log_warning("this CPU has neither AVX2 nor AVX-512: plain loops are used, which are very slow");
  }
  return Compute(flags.kernels, threads, cpus);
}

void add_column_flags(CLI::App& command, ColumnFlags& flags) {
  constexpr const char* kColumns = "Columns of own files";
  command.add_option("--text-column", flags.text, "column of the text; found when not given")
      ->group(kColumns);
  command
      .add_option("--pair-column", flags.pair,
                  "column of the second text of a pair; found when no column is named")
      ->group(kColumns);
  command
      .add_option("--label-column,--label-column-name", flags.label,
                  "column of the label; found when not given")
      ->group(kColumns);
  command
      .add_option(
          "--label-separator", flags.separator,
          "a row may have several labels at once, with this between them, e.g. \",\"; lists "
          "in JSON Lines need none")
      ->group(kColumns);
}

ColumnNames column_names(const ColumnFlags& flags) {
  return {
      .text = if_given(flags.text), .pair = if_given(flags.pair), .label = if_given(flags.label)};
}

void add_long_text_flag(CLI::App& command, LongText& long_text, const std::string& group) {
  const std::map<std::string, LongText> ways = {{"head", LongText::kHead},
                                                {"tail", LongText::kTail},
                                                {"head-tail", LongText::kHeadTail},
                                                {"window", LongText::kWindow}};
  command
      .add_option_function<std::string>(
          "--long-text", [&long_text, ways](const std::string& name) { long_text = ways.at(name); },
          "what is read of texts longer than that: head, tail, head-tail (a quarter, and the rest "
          "from the end), or window: overlapping pieces, whose logits are averaged; training reads "
          "the head then")
      ->check(CLI::IsMember({"head", "tail", "head-tail", "window"}))
      ->default_str("head")
      ->group(group);
}

void add_json_flag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "write JSON on standard output");
}

}  // namespace tandem
